//! Fugaku: what `examples/silicon/fugaku.rs` writes to `docs/silicon.md`, and the machine it stands on.

use std::path::Path;

use crate::silicon_traces::program::fugaku;
use fugaku::engine::whole_vector;
use fugaku::law::Law;
use fugaku::machine::{tofu, torus};
use fugaku::peers::{FAMILIES, Family, exchanges, renumbered, tree};
use fugaku::steps::Steps;
use fugaku::study::{Errors, Part, Study, pairs};
use fugaku::{constants::Constants, data};
use meshwright_collectives::{Operation, Task, algorithm};
use meshwright_core::units::{Bytes, Cycles, NodeId, Ratio};
use meshwright_formats::presets;
use meshwright_network::fabric::{Fabric, Leg, Plane, Routers};
use meshwright_network::topology::{Grid, Machine, Topology};
use meshwright_schedule::{Message, Phases};
use meshwright_sim::flit::Router;
use meshwright_sim::{Engine, simulate};

fn tables() -> Vec<data::Table> {
    data::tables(&Path::new(env!("CARGO_MANIFEST_DIR")).join("data/silicon/fugaku")).unwrap()
}

/// The figures of the page: fitted on 64x64, predicted on 8x8x8.
#[test]
fn predicted_collectives_are_as_near_as_the_page_says() {
    let tables = tables();
    let study = Study::new(&tables, tofu).unwrap();
    assert!((study.loss - 16.56).abs() < 0.01, "the loss of the research: {}", study.loss);
    let errors = |index: usize, part: Part| {
        let predicted = &study.tables[index];
        Errors::of(predicted.outcomes.iter().filter(|outcome| part.has(outcome.row)))
    };
    let [fitted, predicted] = [errors(0, Part::LongAndHalves), errors(1, Part::LongAndHalves)];
    assert_eq!((fitted.count, predicted.count), (32, 17));
    assert!(fitted.median <= 6.0 && predicted.median <= 10.0, "{fitted:?} {predicted:?}");
    let [fitted, predicted] = [errors(0, Part::All), errors(1, Part::All)];
    assert_eq!((fitted.count, predicted.count), (153, 167));
    assert!(fitted.median <= 6.5 && predicted.median <= 8.0, "{fitted:?} {predicted:?}");
    for predicted in &study.tables {
        let of = pairs(&predicted.outcomes, Part::LongAndHalves);
        assert!(of.iter().all(|pair| pair.2), "the faster of two on {}", predicted.table.name);
        assert!(of.len() >= 7, "there are pairs");
        for outcome in &predicted.outcomes {
            assert!(outcome.bound <= outcome.ours, "{:?}", outcome.row);
        }
    }
    // A torus of the shape the job asked for does not explain the table it is fitted to.
    let plain = Study::new(&tables, torus).unwrap();
    assert!(plain.loss > 2.0 * study.loss, "{} {}", plain.loss, study.loss);
}

/// Messages on the busiest link, summed over the steps: as an independent program counts them.
#[test]
fn busiest_links_are_those_of_the_research() {
    for (shape, [bine, doubling]) in [
        (&[64, 64][..], [26.0, 39.0]),
        (&[8, 8, 8], [9.0, 15.0]),
        (&[32, 256], [39.0, 70.0]),
        (&[4, 4, 4], [6.0, 6.0]),
    ] {
        let steps = Steps::new(&tofu(shape).unwrap());
        let sums = [Family::Bine, Family::Doubling].map(|family| steps.busiest_sum(family));
        assert_eq!(sums, [bine, doubling], "{shape:?}");
    }
    let steps = Steps::new(&torus(&[64, 64]).unwrap());
    assert_eq!([Family::Bine, Family::Doubling].map(|family| steps.busiest_sum(family)), [48.0, 126.0]);
}

/// Swing and recursive doubling of the race have the exchanges of these tables: what is predicted of the tables is predicted of them.
#[test]
fn the_race_has_the_exchanges_of_the_tables() {
    for shape in [&[64, 64][..], &[8, 8, 8], &[32, 256]] {
        let words: Vec<String> = shape.iter().map(u32::to_string).collect();
        let machine = Machine::new(&format!("torus:{}", words.join("x"))).unwrap();
        let task = Task::new(&machine, Operation::AllReduce, 4, 0).unwrap();
        for (family, name) in [(Family::Bine, "swing-l"), (Family::Doubling, "recursive-doubling")] {
            let flow = algorithm::all().find(|one| one.name == name).unwrap().of(&task).unwrap();
            let expected = exchanges(shape, family);
            assert_eq!(flow.transfers().len(), expected.len() * machine.nodes() as usize, "{name} {shape:?}");
            for transfer in flow.transfers() {
                let peers = &expected[transfer.step as usize];
                assert_eq!(peers[transfer.source as usize], transfer.target, "{name} {shape:?}");
            }
        }
    }
}

#[test]
fn exchanges_are_mutual_and_reach_everybody() {
    for shape in [&[64, 64][..], &[8, 8, 8], &[4, 16], &[2, 2, 8]] {
        for family in FAMILIES {
            let exchanges = exchanges(shape, family);
            let ranks = shape.iter().product::<u32>();
            for peers in &exchanges {
                assert!(
                    (0..ranks).all(|rank| peers[peers[rank as usize] as usize] == rank),
                    "{shape:?} {family:?}"
                );
            }
            let told: usize = tree(&exchanges).iter().map(Vec::len).sum();
            assert_eq!(told, ranks as usize - 1, "everybody hears of it once");
            let mut numbers = renumbered(&exchanges);
            numbers.sort_unstable();
            assert!(numbers.into_iter().eq(0..ranks), "a permutation");
        }
    }
}

/// The formula against the flow engine: the same messages, two programs.
#[test]
fn the_formula_is_what_the_engine_says() {
    let job = tofu(&[8, 8, 8]).unwrap();
    let steps = Steps::new(&job);
    for family in FAMILIES {
        let (simulated, formula) = whole_vector(&job, &steps, family, 1 << 20).unwrap();
        assert!((formula / simulated - 1.0).abs() < 0.03, "{family:?}: {simulated} {formula}");
    }
}

#[test]
#[ignore = "4096 flows at a time"]
fn the_formula_is_what_the_engine_says_of_4096_ranks() {
    let job = tofu(&[64, 64]).unwrap();
    let steps = Steps::new(&job);
    for family in FAMILIES {
        let (simulated, formula) = whole_vector(&job, &steps, family, 1 << 20).unwrap();
        assert!((formula / simulated - 1.0).abs() < 0.03, "{family:?}: {simulated} {formula}");
    }
}

#[test]
fn names_of_algorithms_without_a_formula_have_none() {
    for (collective, algorithm) in [
        ("allreduce", "BINE-L-UTOFU-0-6"),
        ("allreduce", "RING-B_CONT-UTOFU-0-1"),
        ("allreduce", "default-trix3"),
        ("allreduce", "BINE-L-UTOFU-x-1"),
        ("scan", "BINE-L-UTOFU-0-1"),
        ("allgather", ""),
    ] {
        assert_eq!(Law::of(collective, algorithm), None, "{collective} {algorithm}");
    }
    let steps = Steps::new(&tofu(&[4, 4, 4]).unwrap());
    let whole = Law::of("allreduce", "BINE-L-UTOFU-65536-1").unwrap();
    let [small, large] = [4.0, 1e6].map(|bytes| whole.time(bytes, &steps, &Constants::default()));
    assert!(small < large && whole.bound(&steps) * 1e6 < large);
    for shape in [&[64, 48][..], &[64], &[0, 4], &[4096, 8192]] {
        assert!(tofu(shape).is_err(), "{shape:?}");
    }
}

/// The preset is the box of the job of 64x64, and a phase on it takes what its figures say.
#[test]
fn the_preset_is_the_machine_of_the_page() {
    let machine = presets::named("tofu").unwrap().machine().unwrap();
    let (preset, job) = (machine.fabric().unwrap(), tofu(&[64, 64]).unwrap());
    assert_eq!((preset.grid(), preset.planes()), (job.fabric.grid(), job.fabric.planes()));
    assert_eq!((preset.rates(), preset.hop()), (job.fabric.rates(), job.fabric.hop()));
    assert_eq!(*preset.grid(), Grid::torus(&[8, 8, 6, 2, 3, 2]).unwrap());
    let message = |source, target, phase| Message { source, target, bytes: Bytes(6350), phase };
    let (first, last) = (NodeId(0), preset.grid().node_at(&[7, 7, 5, 1, 2, 1]));
    let phases = Phases::new(machine.nodes(), vec![message(first, last, 0), message(last, first, 1)]);
    let trace = simulate(&machine, &phases, &Engine::Message).unwrap();
    // X, Y and Z do not wrap: 7 + 7 + 5 links, one over the border of B, one each for A and C.
    assert_eq!(trace.cycles.0, 2 * (2190 + 22 * 100 + 1000));
    let about = presets::named("tofu").unwrap().about().unwrap();
    assert!(about.measured.len() >= 2 && about.assumed.len() >= 3 && about.sources.len() >= 2, "{about:?}");
}

#[test]
fn bad_tables_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let refused = |name: &str, text: &str| {
        let path = folder.path().join(name);
        std::fs::write(&path, text).unwrap();
        let error = data::tables(folder.path()).err().map(|error| error.to_string());
        std::fs::remove_file(path).unwrap();
        error.unwrap_or_default()
    };
    assert!(refused("8x8x8.csv", "collective,algorithm,bytes,median_us\n").contains("64x64.csv"));
    assert!(refused("ranks.csv", "").contains("a shape such as 8x8x8"));
    assert!(refused("64x64.csv", "collective,algorithm,median_us\n").contains("a column bytes"));
    let bad = refused("64x64.csv", "collective,algorithm,bytes,median_us\nallreduce,BINE-L-UTOFU-0-1,4,-1\n");
    assert!(bad.contains("above 0"), "{bad}");
    assert_eq!(
        refused("64x64.csv", "collective,algorithm,bytes,median_us\nallreduce,BINE-L-UTOFU-0-1,4,9.5\n"),
        ""
    );
}

/// A torus whose axes all run straight is a mesh, for flows and for flits.
#[test]
fn an_axis_that_runs_straight_is_a_line() {
    let trace = |grid: Grid, name: &str, leg: fn(usize) -> Leg, engine: &dyn Fn(&Machine) -> Engine| {
        let plane = Plane::new("net", vec![leg(1), leg(0)], Ratio::whole(8));
        let fabric = Fabric::new(grid, vec![plane]).unwrap().with_routers(Routers::default()).unwrap();
        let machine = Machine::new(name).unwrap().with_fabric(fabric.with_hop(Cycles(3))).unwrap();
        let pairs =
            (0..16).flat_map(|from| (0..16).map(move |to| (from, to))).filter(|(from, to)| from != to);
        let send =
            |(from, to)| Message { source: NodeId(from), target: NodeId(to), bytes: Bytes(640), phase: 0 };
        let trace =
            simulate(&machine, &Phases::new(16, pairs.map(send).collect()), &engine(&machine)).unwrap();
        (trace.cycles, trace.messages)
    };
    let (torus, mesh) = (|| Grid::torus(&[4, 4]).unwrap(), || Grid::mesh(&[4, 4]).unwrap());
    let engines: [&dyn Fn(&Machine) -> Engine; 2] =
        [&|_| Engine::Message, &|machine| Engine::Flit(Router::ideal(machine).into())];
    for engine in engines {
        let straight = trace(torus(), "torus:4x4", Leg::straight, engine);
        assert_eq!(straight, trace(mesh(), "mesh:4x4", Leg::shorter, engine));
        assert_eq!(straight.1, 240, "all arrive");
        let around = trace(torus(), "torus:4x4", Leg::shorter, engine);
        assert!(around.0 < straight.0, "over the border is shorter: {around:?} {straight:?}");
    }
}

#[test]
fn a_file_says_straight() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("machine.toml");
    let read = |route: &str| {
        let text = format!(
            "[machine]\ntopology = \"torus:3x5\"\n[[machine.networks]]\nname = \"net\"\nroute = [{route}]\nrate = 4\n"
        );
        std::fs::write(&path, text).unwrap();
        meshwright_formats::scenario::machine(path.to_str().unwrap())
    };
    let machine = read("\"straight 1\", \"0\"").unwrap();
    assert_eq!(machine.fabric().unwrap().planes()[0].legs, [Leg::straight(1), Leg::shorter(0)]);
    for wrong in ["\"straight 2\", \"0\"", "\"straight\", \"0\"", "\"straight +1\", \"0\""] {
        let refused = read(wrong).unwrap_err().to_string();
        assert!(refused.contains("\"straight 1\" inside the box"), "{refused}");
    }
}
