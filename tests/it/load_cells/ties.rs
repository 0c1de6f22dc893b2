//! Rules for nodes that are equally near to several sources.

use super::*;

/// Ties by hand: distances from every source, and who is nearest.
#[test]
fn rules_of_ties_agree_with_distances() {
    use meshwright_load::shares::reduced::voronoi;
    use meshwright_load::shares::schedulers::TIES;
    use meshwright_network::topology::distances_from;
    for (name, nodes) in
        [("mesh:6x7", &[3u32, 20, 38][..]), ("torus:5x6", &[0, 15, 29, 12]), ("hypercube:4", &[0, 15, 3])]
    {
        let machine = Machine::new(name).unwrap();
        let sources: Vec<Source> = nodes.iter().map(|&node| Source::at(NodeId(node), 1.0)).collect();
        let problem = Problem::new(&machine, sources, 0.1).unwrap();
        let distances: Vec<Vec<u32>> =
            nodes.iter().map(|&node| distances_from(&machine, NodeId(node))).collect();
        for &(rule, ties) in TIES {
            let settings = SchedulerSettings { ties, ..SchedulerSettings::default() };
            let found = voronoi(&problem, Forwarding::CutThrough, &settings).unwrap();
            let mut layers = vec![Vec::new(); nodes.len()];
            let mut idle = 0;
            for node in 0..machine.nodes() as usize {
                let least = distances.iter().map(|from| from[node]).min().unwrap();
                let mut owners: Vec<usize> =
                    (0..nodes.len()).filter(|&source| distances[source][node] == least).collect();
                match rule {
                    "lowest" => owners.truncate(1),
                    "nobody" if owners.len() > 1 => owners.clear(),
                    _ => {}
                }
                idle += u32::from(owners.is_empty());
                for owner in owners {
                    let (depth, cell): (_, &mut Vec<u32>) = (least as usize, &mut layers[owner]);
                    cell.resize(cell.len().max(depth + 1), 0);
                    cell[depth] += 1;
                }
            }
            let theirs: Vec<&Vec<u32>> = found.cells.iter().map(|cell| &cell.layers).collect();
            assert_eq!(theirs, layers.iter().collect::<Vec<_>>(), "{name}, {rule}");
            assert_eq!(found.saved, idle, "{name}, {rule}");
            let sum: f64 = found.plan.shares.iter().sum();
            assert!(is_near(sum, 1.0, 1e-12), "{name}, {rule}: {sum}");
            assert_eq!(found.plan.cells.is_none(), rule == "both", "{name}, {rule}");
            for scheduler in [reduced as Run, accelerated as Run] {
                let found = scheduler(&problem, Forwarding::CutThrough, &settings).unwrap();
                let sum: f64 = found.plan.shares.iter().sum();
                assert!(is_near(sum, 1.0, 1e-12) && found.makespan_kept, "{name}, {rule}: {sum}");
            }
        }
    }
}
