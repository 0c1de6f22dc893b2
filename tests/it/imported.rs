//! Machines from files of other simulators: BookSim 2 and SimGrid.

use std::path::{Path, PathBuf};

use meshwright_core::text::provide;
use meshwright_core::units::{Bytes, Hops, NodeId};
use meshwright_formats::scenario;
use meshwright_hosts::{booksim, simgrid};
use meshwright_network::topology::{Machine, Switching, Topology};
use meshwright_sim::flit::Router;

fn data(file: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/formats").join(file)
}

#[test]
fn a_configuration_of_booksim_is_a_mesh_with_its_routers() {
    let mesh = scenario::machine(&format!("booksim:{}", data("booksim-mesh.cfg").display())).unwrap();
    assert_eq!((mesh.nodes(), mesh.sides()), (64, &[8, 8][..]));
    assert_eq!((mesh.virtual_channels(), mesh.buffers(), mesh.costs().flit), (2, 16, Bytes(16)));
    // A flit of 16 bytes crosses a link in a cycle.
    assert_eq!(mesh.costs().head_ticks(), mesh.costs().ticks_per_cycle());
    let router = Router::described(&mesh).unwrap().expect("routers are described");
    // As BookSim measures it: 7 + 5 H + (L - 1) with its default pipeline, see tests/golden/network.json.
    for (hops, flits) in [(1, 1), (14, 20)] {
        assert_eq!(router.zero_load(&mesh, hops, flits), 7 + 5 * hops + flits - 1);
    }
    assert_eq!((router.credit_delay, router.virtual_channels, router.buffers), (3, 2, 16));
    let remarks = &mesh.imported().unwrap().remarks;
    let wanted = [
        "`wait_for_tail_credit = 1` is not modelled, as if it were 0",
        "`input_speedup = 2` is not modelled",
    ];
    assert!(wanted.iter().zip(remarks).all(|(wanted, remark)| remark.contains(wanted)), "{remarks:?}");
    assert!(remarks[2].contains("`--traffic uniform-with-self --load 0.2 --packet 20`"), "{remarks:?}");
}

/// BookSim's defaults are those of the preset that was calibrated against its runs, see docs/agreement.md.
#[test]
fn the_defaults_of_booksim_are_the_calibrated_router() {
    for (text, name) in [("topology = mesh;", "mesh:16x16"), ("topology = torus;", "torus:16x16")] {
        let text = format!("{text} k = 16; num_vcs = 4; routing_function = dim_order;");
        let _file = provide("d.cfg", text.into_bytes());
        let machine = booksim::read("booksim:d.cfg", Path::new("d.cfg")).unwrap();
        let mut preset = Router::named("booksim", &Machine::new(name).unwrap()).unwrap();
        preset.set("routing", "dimension-order").unwrap();
        assert_eq!(Router::described(&machine).unwrap(), Some(preset));
    }
}

#[test]
fn a_torus_of_booksim_has_folded_links() {
    let of = |text: &str| {
        let _file = provide("t.cfg", text.as_bytes().to_vec());
        let torus = booksim::read("booksim:t.cfg", Path::new("t.cfg")).unwrap();
        (torus.sides().to_vec(), Router::described(&torus).unwrap().unwrap().link_delay)
    };
    assert_eq!(of("k = 4; n = 3; routing_function = dim_order;"), (vec![4, 4, 4], 2));
    assert_eq!(of("topology = torus; use_noc_latency = 0;"), (vec![8, 8], 1));
}

#[test]
fn configurations_that_cannot_be_honoured_are_refused_at_their_place() {
    for (text, wanted) in [
        ("k = 8;\ntopology = fattree;", "a.cfg:2:1: `topology` is `fattree`; expected `mesh` or `torus`"),
        ("c = 4;", "a.cfg:1:1: `c` is `4`; expected 1: this program has no other"),
        (
            "routing_function = chaos;",
            "a.cfg:1:1: `routing_function` is `chaos`; expected `dor`, `dim_order`",
        ),
        ("num_vc = 4;", "a.cfg:1:1: unknown key `num_vc`; expected `num_vcs`"),
        ("k = 8", "a.cfg:1:6: the file ends here; expected `;`"),
        ("k = ;", "a.cfg:1:5: `;` cannot stand here; expected a value"),
        ("k 8;", "a.cfg:1:3: `8` cannot stand here; expected `=`"),
        ("k = 99999999;", "a.cfg:1:1: `k` is `99999999`; expected a whole number"),
        ("k = 4000; n = 24;", "a.cfg:1:1: `k` is `4000`; expected "),
        ("n = 0;", "a.cfg:1:1: `n` is `0`; expected "),
        (
            "vc_allocator = islip; sw_allocator = separable_input_first;",
            "a.cfg:1:1: `vc_allocator` is `islip`",
        ),
        ("vc_alloc_delay = 0;", "a.cfg:1:1: `vc_alloc_delay` is `0`; expected a whole number from 1"),
        ("channel_width = 12;", "a.cfg:1:1: `channel_width` is `12`; expected bits of a flit"),
        ("num_vcs = nan;", "a.cfg:1:1: `num_vcs` is `nan`"),
        ("k = 8; k == 9;", "a.cfg:1:11: `=` cannot stand here"),
    ] {
        let _file = provide("a.cfg", text.as_bytes().to_vec());
        let error = booksim::read("booksim:a.cfg", Path::new("a.cfg")).unwrap_err().to_string();
        assert!(error.starts_with(wanted), "{text}: {error}");
    }
}

#[test]
fn a_torus_cluster_of_simgrid_has_its_hosts_latency_and_bandwidth() {
    let torus = scenario::machine(&format!("simgrid:{}", data("simgrid-torus.xml").display())).unwrap();
    // 3 runs fastest.
    assert_eq!((torus.nodes(), torus.sides()), (12, &[2, 2, 3][..]));
    assert_eq!(torus.distance(NodeId(0), NodeId(2)), Some(Hops(1)), "round the first side");
    assert_eq!(torus.places()[11].host, "node-11.cluster");
    // 50 us a link, 125 MB/s: 8 ns a byte.
    let alone = torus.costs().alone_ticks(torus.switching(), Bytes(1_000_000), Hops(3));
    assert_eq!((alone, torus.switching()), (3 * 50_000 + 8_000_000, Switching::CutThrough));
    let remarks = &torus.imported().unwrap().remarks;
    assert!(remarks.iter().any(|remark| remark.starts_with("`speed` of hosts")), "{remarks:?}");
}

#[test]
fn hosts_wired_by_links_are_a_graph() {
    let ring = scenario::machine(&format!("simgrid:{}", data("simgrid-ring.xml").display())).unwrap();
    assert_eq!((ring.nodes(), ring.links()), (4, 8));
    assert_eq!(ring.distance(NodeId(1), NodeId(3)), Some(Hops(2)));
    assert_eq!(ring.costs().alone_ticks(ring.switching(), Bytes(1000), Hops(2)), 2 * 1000 + 8 * 1000);
}

#[test]
fn endings_tell_what_a_machine_is_and_a_scenario_keeps_its_costs() {
    for file in ["booksim-mesh.cfg", "simgrid-torus.xml", "simgrid-ring.xml"] {
        let path = data(file).display().to_string();
        let (model, _) = file.split_once('-').unwrap();
        let short = scenario::machine(&path).unwrap();
        let long = scenario::machine(&format!("{model}:{path}")).unwrap();
        let folder = tempfile::tempdir().unwrap();
        std::fs::copy(data(file), folder.path().join(file)).unwrap();
        let text = format!("[machine]\ntopology = \"{file}\"\n[[divide]]\ntasks = \"binomial:2\"\n");
        let read = scenario::read_bytes(&folder.path().join("a.toml"), text.into()).unwrap().machine;
        for machine in [&short, &read] {
            assert_eq!((machine.nodes(), machine.costs()), (long.nodes(), long.costs()), "{file}");
            assert_eq!((machine.imported().unwrap().model, machine.switching()), (model, long.switching()));
        }
    }
    let host = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/two-packages.xml");
    assert_eq!(scenario::machine(&host.display().to_string()).unwrap().nodes(), 8);
}

#[test]
fn platforms_that_are_no_machine_are_refused_with_the_reason() {
    let cluster = |rest: &str| {
        format!(
            "<platform>\n<zone id='z' routing='Full'>\n<cluster id='c' prefix='n' suffix='' radical='0-3' bw='1GBps' lat='1us' {rest}/>\n</zone></platform>"
        )
    };
    let zone = |inner: &str| {
        format!(
            "<platform>\n<zone id='z' routing='Full'>\n<host id='a'/><host id='b'/><host id='c'/>\n\
             <link id='x' bandwidth='1GBps' latency='1us'/><link id='y' bandwidth='2GBps' latency='1us'/>\n{inner}\n</zone></platform>"
        )
    };
    let over = |links: &str| links.chars().map(|link| format!("<link_ctn id='{link}'/>")).collect::<String>();
    let route =
        |src: &str, dst: &str, links: &str| format!("<route src='{src}' dst='{dst}'>{}</route>", over(links));
    for (text, wanted) in [
        (
            cluster("topology='FAT_TREE' topo_parameters='2;2,2;1,2;1,2'"),
            "a.xml:3:1: this cluster is a fat tree",
        ),
        (
            cluster("topology='DRAGONFLY' topo_parameters='3,4;3,2;3,1;2'"),
            "a.xml:3:1: this cluster is a dragonfly",
        ),
        (cluster(""), "a.xml:3:1: this cluster is a switch with private links"),
        (
            cluster("topology='TORUS' topo_parameters='2,3'"),
            "a.xml:3:1: `radical` names 4 hosts, and the torus has 6",
        ),
        (cluster("topology='TORUS' topo_parameters='2,x'"), "a.xml:3:1: `topo_parameters` are no sides"),
        (
            cluster("topology='TORUS' topo_parameters='2,2' sharing_policy='SHARED'"),
            "a.xml:3:1: `sharing_policy` is `SHARED`",
        ),
        (zone(""), "a.xml:2:1: no route is a single link"),
        (zone(&route("a", "d", "x")), "a.xml:5:1: `dst` is `d`; expected the id of a host"),
        (zone(&route("a", "b", "z")), "a.xml:5:24: there is no link `z`"),
        (zone(&(route("a", "b", "x") + &route("b", "c", "y"))), "a.xml:5:50: link `y` differs from link `x`"),
        (zone(&(route("a", "b", "x") + &route("b", "c", "x"))), "a.xml:5:50: link `x` joins two pairs"),
        (
            zone(&(route("a", "b", "x") + &route("a", "b", "xx"))),
            "a.xml:5:50: this route of 2 links is no shortest way",
        ),
        (zone("<router id='r'/>"), "a.xml:5:1: a router runs no task"),
        (zone("<zone id='i'/><zone id='j'/>"), "a.xml:5:15: there is a second zone"),
        ("<topology/>".to_string(), "a.xml:1:1: the outermost element is `topology`"),
        ("<platform><zone>".to_string(), "a.xml:1:1: this is no XML"),
        ("<platform/>".to_string(), "a.xml:1:1: the platform has no zone"),
    ] {
        let error = simgrid::parse("simgrid:a.xml", text.as_bytes(), "a.xml").unwrap_err().to_string();
        assert!(error.starts_with(wanted), "{error}");
    }
    for (bandwidth, latency) in
        [("nan", "1us"), ("-1GBps", "1us"), ("1GBps", "1h"), ("0GBps", "1us"), ("infGBps", "1us")]
    {
        let text = cluster("topology='TORUS' topo_parameters='2,2'")
            .replace("1GBps", bandwidth)
            .replace("1us", latency);
        assert!(simgrid::parse("simgrid:a.xml", text.as_bytes(), "a.xml").is_err(), "{bandwidth} {latency}");
    }
}
