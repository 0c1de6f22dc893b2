//! The schedulers where there is little to divide, and where their equations do not hold.

use super::*;

/// Every method on machines and sources at the edge of what there is: the load is whole and the makespan a number.
#[test]
fn edges_have_answers() {
    let edges: [(&str, &[u32]); 6] = [
        ("mesh:1x1", &[0]),
        ("mesh:1x2", &[0, 1]),
        ("mesh:1x9", &[4, 4, 0]),
        ("torus:3x3", &[0, 1, 2, 3, 4, 5, 6, 7, 8]),
        ("hypercube:4", &[0, 15]),
        ("mesh:2x2", &[3, 1]),
    ];
    for (name, nodes) in edges {
        let machine = Machine::new(name).unwrap();
        let sources: Vec<Source> =
            nodes.iter().enumerate().map(|(at, &node)| Source::at(NodeId(node), 1.0 + at as f64)).collect();
        for sigma in [0.0, 0.3, 1.0, 2.5] {
            let problem = Problem::new(&machine, sources.clone(), sigma).unwrap();
            for (method, &(_, forwarding)) in
                METHODS.iter().flat_map(|m| FORWARDINGS.iter().map(move |f| (m, f)))
            {
                let scheduled = match (method.run)(&problem, forwarding, &SchedulerSettings::default()) {
                    Ok(scheduled) => scheduled,
                    Err(error) => {
                        assert!(method.name.starts_with("eps"), "{error}");
                        assert!(error.to_string().contains("connected"), "{error}");
                        continue;
                    }
                };
                check_shares(&problem, &scheduled);
                assert!(
                    scheduled.makespan_kept && scheduled.plan.makespan.is_finite(),
                    "{name} {}",
                    method.name
                );
                let used: u32 = scheduled.cells.iter().map(|cell| cell.nodes()).sum();
                assert_eq!(used + scheduled.saved, machine.nodes(), "{name} {}", method.name);
            }
        }
    }
}

#[test]
fn what_the_equations_do_not_know_is_not_applicable() {
    let mesh = Machine::new("mesh:3x3").unwrap();
    let late = |node| Source { release: 1.0, ..Source::at(NodeId(node), 1.0) };
    let problem = |late| Problem::new(&mesh, vec![Source::at(NodeId(0), 1.0), late], 0.1).unwrap();
    for method in METHODS {
        let run = |problem| (method.run)(&problem, Forwarding::CutThrough, &SchedulerSettings::default());
        let error = run(problem(late(0))).unwrap_err().to_string();
        assert!(
            error.starts_with(method.name) && error.contains("at one node at different times"),
            "{error}"
        );
        // L9: a cell begins when its loads are there.
        let makespan = run(problem(late(1))).unwrap().plan.makespan;
        assert!(makespan > 1.0, "{}: {makespan}", method.name);
    }
    let apart = Problem::new(&mesh, [0, 2].map(|node| Source::at(NodeId(node), 1.0)).to_vec(), 0.1).unwrap();
    let error = epsa(&apart, Forwarding::CutThrough, &SchedulerSettings::default()).unwrap_err();
    assert!(error.to_string().contains("from (0,0) to (0,2)"), "{error}");
    let best = partition(&apart, Forwarding::StoreAndForward, &SchedulerSettings::default());
    assert!(best.unwrap_err().to_string().contains("first hop"));
}

/// Nodes behind a hole work for nobody, and are neither saved nor given away.
#[test]
fn a_part_that_nobody_reaches_belongs_to_nobody() {
    let line = Machine::new("mesh:1x9").unwrap().with_dead(vec![NodeId(6)]).unwrap();
    let problem =
        Problem::new(&line, [0, 2].map(|node| Source::at(NodeId(node), 1.0)).to_vec(), 0.1).unwrap();
    for method in METHODS.iter().filter(|method| !method.name.starts_with("eps")) {
        let scheduled =
            (method.run)(&problem, Forwarding::CutThrough, &SchedulerSettings::default()).unwrap();
        check_shares(&problem, &scheduled);
        assert_eq!(scheduled.plan.cells.unwrap().label[6..], [UNUSED; 3], "{}", method.name);
        assert_eq!(scheduled.cells[0].nodes(), 2);
    }
}

/// Both thresholds of ARMDVDA end it in time: the first moment at which they hold.
#[test]
fn acceleration_ends_at_its_thresholds() {
    let mesh = Machine::new("mesh:12x12").unwrap();
    let problem =
        Problem::new(&mesh, [0, 14, 77].map(|node| Source::at(NodeId(node), 1.0)).to_vec(), 0.05).unwrap();
    let run = |settings: SchedulerSettings| accelerated(&problem, Forwarding::CutThrough, &settings).unwrap();
    let (none, full) = (
        reduced(&problem, Forwarding::CutThrough, &SchedulerSettings::default()).unwrap(),
        run(SchedulerSettings::default()),
    );
    assert!(full.merged > 10 && full.plan.makespan < none.plan.makespan);
    assert_eq!(none.saved, full.saved + full.merged);
    let finish = (none.plan.makespan + full.plan.makespan) / 2.0;
    let soon = run(SchedulerSettings { finish, ..SchedulerSettings::default() });
    assert!(soon.plan.makespan <= finish && soon.merged < full.merged);
    let save_at_least = f64::from(none.saved - 5) / 144.0;
    assert_eq!(run(SchedulerSettings { save_at_least, ..SchedulerSettings::default() }).merged, 5);
}

/// Moving within a cell counts: a cell that is evened out first may not become the slowest by the reduction.
#[test]
fn the_extended_reduction_counts_the_moving() {
    let mesh = Machine::new("mesh:12x12").unwrap();
    let sources = [(26, 0.4), (27, 0.05), (38, 0.05), (110, 0.2), (19, 0.3)];
    let sources: Vec<Source> = sources.iter().map(|&(node, load)| Source::at(NodeId(node), load)).collect();
    let problem = Problem::new(&mesh, sources, 0.2).unwrap();
    for forwarding in [Forwarding::CutThrough, Forwarding::ModifiedStoreAndForward] {
        let plain = constrained(&problem, forwarding, &SchedulerSettings::default()).unwrap();
        let moved = constrained_extended(&problem, forwarding, &SchedulerSettings::default()).unwrap();
        assert!(plain.warning.unwrap().contains("constrained-extended") && moved.warning.is_none());
        let finish = |(cell, moving): (&Cell, &Rebalance)| moving.time + cell.load / cell.speedup;
        let ends: Vec<f64> = moved.cells.iter().zip(&moved.rebalances).map(finish).collect();
        assert_eq!(moved.plan.makespan, ends.iter().copied().fold(0.0, f64::max));
        assert!(moved.makespan_kept && moved.rebalances[0].time > 0.0 && moved.rebalances[1].time == 0.0);
        assert!(moved.plan.makespan > plain.plan.makespan);
    }
}
