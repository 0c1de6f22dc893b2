use meshwright_core::rng::stream;
use meshwright_network::topology::Machine;
use rand::RngExt;

use super::*;

fn options() -> Options<'static> {
    Options { method: None, seed: 0, goes_on: &|| true }
}

fn dealt(processes: u32, hosts: u32) -> Vec<Process> {
    (0..processes).map(|rank| Process::on_host(&format!("h{}", rank % hosts), rank)).collect()
}

/// The measure once more: every edge, by the hosts and hops of the processes themselves.
fn recounted(topology: &VirtualTopology, seating: &Seating, all: &[Process], processes: &[u32]) -> Measure {
    let mut sum = Measure::ZERO;
    for from in 0..topology.vertices() {
        for &(to, weight) in topology.neighbours(from) {
            let [a, b] = [from, to].map(|vertex| processes[vertex as usize]);
            let is_between = all[a as usize].seat.host != all[b as usize].seat.host;
            sum.between_hosts += if is_between { weight as i64 } else { 0 };
            sum.weighted_hops += weight as i64 * seating.hops(a, b) as i64;
        }
    }
    Measure { between_hosts: sum.between_hosts / 2, weighted_hops: sum.weighted_hops / 2 }
}

#[test]
fn grids_fall_into_blocks() {
    for (sides, periods, hosts, best) in [
        (vec![4, 4], vec![false, false], 4, 16),
        (vec![4, 4], vec![true, true], 4, 32),
        (vec![16], vec![false], 4, 6),
        (vec![4, 4, 4], vec![false; 3], 8, 96),
        (vec![8, 8], vec![false, false], 16, 96),
        (vec![6, 4], vec![false, false], 4, 20),
    ] {
        let topology = VirtualTopology::cart(&sides, &periods).unwrap();
        let all = dealt(topology.vertices(), hosts);
        let plan = plan(&topology, &Seating::found(&all), &options()).unwrap();
        assert_eq!(plan.after.between_hosts, best, "{sides:?} on {hosts} hosts: {plan:?}");
    }
}

/// Random graphs with random weights on random hosts: a permutation, whose figures are those recounted, and never worse.
#[test]
fn a_plan_is_a_permutation_and_never_worse() {
    let mut rng = stream(7, "reorder");
    for case in 0..60 {
        let processes = rng.random_range(1..=24);
        let mut all: Vec<Process> = (0..processes)
            .map(|rank| Process::on_host(&format!("h{}", rng.random_range(0..5)), rank))
            .collect();
        for process in &mut all {
            process.package = Some(rng.random_range(0..2)).filter(|_| case % 3 == 1);
            process.switches = vec![format!("s{}", process.seat.host.as_bytes()[1] % 2)];
        }
        let mut edge = || {
            let [from, to] = [(); 2].map(|()| rng.random_range(0..processes) as i32);
            (from, to, rng.random_range(0..100))
        };
        let edges: Vec<_> = (0..3 * processes).map(|_| edge()).collect();
        let topology = VirtualTopology::weighted(processes, &edges).unwrap();
        let seating = match case % 3 {
            0 => {
                let machine = Machine::new(&format!("torus:{processes}")).unwrap();
                Seating::declared(&machine, &all, processes).unwrap()
            }
            _ => Seating::found(&all),
        };
        let identity: Vec<u32> = (0..processes).collect();
        for method in METHODS.iter().map(|method| Some(method.name)).chain([None]) {
            let plan = plan(&topology, &seating, &Options { method, ..options() }).unwrap();
            let mut sorted = plan.processes.clone();
            sorted.sort_unstable();
            assert_eq!(sorted, identity);
            assert_eq!(plan.before, recounted(&topology, &seating, &all, &identity), "case {case}");
            assert_eq!(plan.after, recounted(&topology, &seating, &all, &plan.processes), "case {case}");
            assert!(plan.after <= plan.before);
            assert!(plan.is_identity() || plan.after < plan.before, "nobody moves for nothing");
        }
    }
}

/// All numberings of seven or eight processes: the best is found, or one that is little worse.
#[test]
fn small_cases_are_near_the_best_of_all_numberings() {
    let mut rng = stream(11, "reorder");
    let (mut met, cases) = (0, 30);
    for case in 0..cases {
        let all = dealt(8, [2, 3, 4][case % 3]);
        let edges: Vec<_> = (0..14)
            .map(|_| (rng.random_range(0..8), rng.random_range(0..8), rng.random_range(1..10)))
            .collect();
        let topology = VirtualTopology::weighted(8, &edges).unwrap();
        let seating = Seating::found(&all);
        let found = plan(&topology, &seating, &options()).unwrap().after;
        let mut least = found;
        numberings(8, &mut (0..8).collect(), &mut |processes| {
            least = least.min(recounted(&topology, &seating, &all, processes));
        });
        met += usize::from(found == least);
        assert!(found.between_hosts * 10 <= least.between_hosts * 12, "case {case}: {found:?} {least:?}");
    }
    assert!(met * 10 >= cases * 8, "{met} of {cases}");
}

fn numberings(left: usize, processes: &mut Vec<u32>, found: &mut impl FnMut(&[u32])) {
    if left == 1 {
        return found(processes);
    }
    for index in 0..left {
        processes.swap(index, left - 1);
        numberings(left - 1, processes, found);
        processes.swap(index, left - 1);
    }
}

#[test]
fn a_grid_on_a_torus_of_the_same_sides_gets_hops_of_one() {
    let machine = Machine::new("torus:4x4").unwrap();
    let shuffled: Vec<Process> = (0..16).map(|rank| Process::on_host("h", rank * 7 % 16)).collect();
    let topology = VirtualTopology::cart(&[4, 4], &[true, true]).unwrap();
    let seating = Seating::declared(&machine, &shuffled, 16).unwrap();
    let plan = plan(&topology, &seating, &options()).unwrap();
    assert_eq!((plan.after.between_hosts, plan.after.weighted_hops), (0, 64), "{plan:?}");
    assert!(plan.before.weighted_hops > 64);
}

/// Two switches of two hosts of two packages: what is shared counts, level by level, and a line is cut where it costs least.
#[test]
fn switches_hosts_and_packages_are_a_tree() {
    let mut all = dealt(16, 4);
    for process in &mut all {
        process.switches = vec![format!("s{}", process.seat.host.as_bytes()[1] % 2)];
        process.package = Some(process.world / 4 % 2);
    }
    let seating = Seating::found(&all);
    // Rank 8 shares package and host with rank 0, rank 4 the host, rank 2 the switch, rank 1 nothing.
    assert_eq!([8, 4, 2, 1].map(|rank| seating.hops(0, rank)), [0, 1, 2, 3]);
    let line = VirtualTopology::cart(&[16], &[false]).unwrap();
    let plan = plan(&line, &seating, &options()).unwrap();
    // Of the edges, 2 each, four are within hosts, two between hosts of a switch, one between switches.
    assert_eq!((plan.after.between_hosts, plan.after.weighted_hops), (6, 2 * (4 + 2 * 2 + 3)), "{plan:?}");
    // Who names no switch hangs at the root.
    all[5].switches.clear();
    assert_eq!(Seating::found(&all).hops(5, 1), 3);
}

/// One line for a host and several: on the node of the host, on the slot of its number, over and over.
#[test]
fn tables_of_hosts_say_where_processes_are() {
    let parse = |table: &str| crate::coordinates::parse("coordinates:t", table.as_bytes(), "t").unwrap();
    let all: Vec<Process> =
        ["a.cluster", "a.cluster", "b", "b", "b"].map(|host| Process::on_host(host, 0)).to_vec();
    let one = Seating::declared(&parse("host,x\na,0\nb,3\n"), &all, 5);
    assert!(one.unwrap_err().to_string().contains("cannot reach each other"), "the places between are dead");
    let one = Seating::declared(&parse("host,x\na,0\nb,1\n"), &all, 5).unwrap();
    assert_eq!((one.hops(0, 1), one.hops(0, 2), one.hosts()), (0, 1, 2));
    let slots =
        Seating::declared(&parse("host,slot,x,y\na,0,0,0\na,1,0,1\nb,0,1,0\nb,1,1,1\n"), &all, 5).unwrap();
    assert_eq!((slots.hops(0, 1), slots.hops(0, 3), slots.hops(2, 4)), (1, 2, 0));
}

#[test]
fn what_does_not_fit_is_an_error() {
    let all = dealt(6, 2);
    let machine = Machine::new("torus:4x4").unwrap();
    let error = Seating::declared(&machine, &all, 6).unwrap_err().to_string();
    assert!(error.contains("a node for each of 6 ranks or of 2 hosts"), "{error}");
    let topology = VirtualTopology::cart(&[5], &[false]).unwrap();
    assert!(plan(&topology, &Seating::found(&all), &options()).is_err());
    assert!(VirtualTopology::weighted(2, &[(0, 2, 1)]).is_err());
    assert!(VirtualTopology::weighted(2, &[(0, 1, -1)]).is_err());
    assert!(VirtualTopology::cart(&[0], &[true]).is_err());
    let pair = VirtualTopology::weighted(2, &[(0, 1, 1)]).unwrap();
    let wrong = Options { method: Some("nonsense"), ..options() };
    assert!(plan(&pair, &Seating::found(&all[..2]), &wrong).unwrap_err().to_string().contains("bisection"));
}

#[test]
fn without_time_the_ranks_stay() {
    let topology = VirtualTopology::cart(&[4, 4], &[false, false]).unwrap();
    let none = Options { goes_on: &|| false, ..options() };
    let plan = plan(&topology, &Seating::found(&dealt(16, 4)), &none).unwrap();
    assert!(plan.is_identity() && !plan.is_complete);
}
