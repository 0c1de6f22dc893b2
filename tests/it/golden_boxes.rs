//! Every value of `tests/golden/boxes.json`: three and four dimensions, and sides that are no powers of two, from an
//! implementation that takes the definitions literally.

use meshwright_formats::scenario::tasks;
use meshwright_network::topology::Machine;
use meshwright_verdict::map;
use serde_json::Value;

fn golden() -> Vec<Value> {
    let golden: Value = serde_json::from_str(include_str!("../golden/boxes.json")).unwrap();
    golden["cases"].as_array().unwrap().clone()
}

fn check(case: &Value, family: &str) {
    let sides: Vec<String> = case["shape"].as_array().unwrap().iter().map(Value::to_string).collect();
    let machine = Machine::new(&format!("{family}:{}", sides.join("x"))).unwrap();
    let (tree, name) = (case["tree"].as_str().unwrap(), case["mapping"].as_str().unwrap());
    let job = tasks::read(tree, "".as_ref(), (tasks::Weights::default(), &[]), &machine).unwrap();
    let report = map::report(&job, &machine, &[name], 0, &mut |_| {}).unwrap();
    let (row, what) = (&report.placements[0], format!("{name} {tree} on {}", machine.name()));
    let positions: Vec<Vec<u32>> = row.nodes().iter().map(|&node| machine.coordinates(node)).collect();
    assert_eq!(serde_json::to_value(&positions).unwrap(), case["positions"], "{what}");
    let phases = case["phases"].as_array().unwrap();
    assert_eq!(row.phases.len(), phases.len(), "{what}");
    for (ours, theirs) in row.phases.iter().zip(phases) {
        let ours = [ours.messages, ours.dilation.into(), ours.link_load.into(), ours.contention.into()];
        let theirs =
            ["messages", "dilation", "link_load", "contention"].map(|key| theirs[key].as_u64().unwrap());
        assert_eq!(ours, theirs, "{what}: messages, dilation, link load, contention");
    }
    let hops: u64 = phases.iter().map(|phase| phase["hops"].as_u64().unwrap()).sum();
    assert_eq!(row.hops_total, hops, "{what}");
}

#[test]
fn boxes_of_any_dimension_and_side() {
    assert!(golden().iter().any(|case| case["shape"].as_array().unwrap().len() == 4));
    golden().iter().for_each(|case| check(case, "mesh"));
}

/// The routes of centred halving stay within half of each ring, so a torus changes nothing.
#[test]
fn centred_halving_is_the_same_on_a_torus() {
    let halving = golden().into_iter().filter(|case| case["mapping"] == "centred-halving");
    let checked = halving.map(|case| check(&case, "torus")).count();
    assert!(checked >= 24);
}
