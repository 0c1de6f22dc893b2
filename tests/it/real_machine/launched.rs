//! Launcher files of real machines, read again; where ranks are.

use super::*;

/// Four tasks in a row, each on the node of the same place in the list.
fn launched(machine: &Machine, nodes: [u32; 4], format: &str) -> String {
    let tasks =
        task_file::parse(&b"phase,source,target,bytes\n0,0,1,8\n0,1,2,8\n0,2,3,8\n"[..], "row.phases.csv")
            .unwrap();
    let placement = Placement { name: "by hand".into(), nodes: nodes.map(NodeId).to_vec() };
    let hosts = Hosts::of(machine);
    let launch = Launch { tasks: &tasks, placement: &placement, machine, ranks: Ranks::Task, hosts: &hosts };
    (launcher::format(format).unwrap().write)(&launch)
}

#[test]
fn launcher_files_have_the_names_and_the_order_of_the_real_machine() {
    // The launcher lists d first; as nodes they are numbered by coordinates.
    let mesh = table("host,slot,x,y\nd,0:1,1,1\nc,2,1,0\nb,0,0,1\na,0:0,0,0\n").unwrap();
    let nodes = [3, 0, 1, 2];
    assert_eq!(
        launched(&mesh, nodes, "rankfile"),
        "rank 0=d slot=0:1\nrank 1=a slot=0:0\nrank 2=b slot=0\nrank 3=c slot=2\n"
    );
    assert_eq!(launched(&mesh, nodes, "slurm-hostfile"), "d\na\nb\nc\n");
    let order = launched(&mesh, nodes, "mpich-rank-order");
    assert!(order.contains("in the order of the machine's list of hosts"), "{order}");
    assert!(order.ends_with("\n0,3,2,1\n"), "{order}");
    // Read again, all three want the same.
    let hosts = |ranks: Vec<expected::Expected>| ranks.into_iter().map(|rank| rank.host).collect::<Vec<_>>();
    let slots = ["d", "c", "b", "a"].map(str::to_string);
    let by_order = by_slots(&parse_rank_order(order.as_bytes(), "o").unwrap(), &slots).unwrap();
    assert_eq!(hosts(by_order), ["d", "a", "b", "c"]);
    let by_file = rankfile(launched(&mesh, nodes, "rankfile").as_bytes(), "r").unwrap();
    assert_eq!(by_file[3].slot, Some(Slot::OfHost(2)));
    assert_eq!(hosts(by_file), ["d", "a", "b", "c"]);
    // A host that is dead has no slot: it is not in the job.
    let order = launched(&mesh.with_dead(vec![NodeId(2)]).unwrap(), [3, 0, 1, 1], "mpich-rank-order");
    assert!(order.ends_with("\n0,3,1\n"), "{order}");
}

#[test]
fn bad_launcher_files_are_refused_at_their_place() {
    let ranks = |text: &str| rankfile(text.as_bytes(), "r").unwrap_err().to_string();
    for (text, error) in [
        ("", "r:1:1: the file is empty; expected a line such as `rank 0=node10 slot=0`"),
        ("rank=0", "r:1:5: the rank is `=`; expected an integer"),
        ("rank 0 a", "r:1:8: `a` cannot stand here; expected `=`"),
        ("rank 0=", "r:1:8: the host is missing"),
        ("rank 0=+n1 slot=0", "r:1:8: `+n1` is no host name"),
        ("rank 0=a\n", "r:1:9: the line ends here; expected `slot`"),
        ("rank 0=a slot=0\nrank 0=b slot=0\n", "r:2:6: rank 0 stands here twice; expected each rank once"),
        ("rank 1=a slot=0\n", "r:2:1: rank 0 is missing; expected every rank from 0 on"),
        (
            "rank 4294967295=a slot=0\n",
            "r:1:6: the rank is `4294967295`; expected an integer from 0 to 16777215",
        ),
    ] {
        assert!(ranks(text).starts_with(error), "{text:?}: {}", ranks(text));
    }
    let order = |text: &str| parse_rank_order(text.as_bytes(), "o").unwrap_err().to_string();
    for (text, error) in [
        ("# nothing\n", "o:2:1: a rank is missing; expected ranks with commas between"),
        ("0,1,1\n", "o:1:5: rank 1 stands here twice"),
        ("0,2\n", "o:2:1: rank 1 is missing"),
        ("0 1\n", "o:1:3: `1` cannot stand here; expected `,`"),
        ("0,,1\n", "o:1:3: the rank is `,`"),
        ("0-3\n", "o:1:1: the rank is `0-3`"),
    ] {
        assert!(order(text).starts_with(error), "{text:?}: {}", order(text));
    }
    assert_eq!(parse_rank_order("1,\n0\n".as_bytes(), "o").unwrap(), [1, 0], "a comma may end a line");
    let few = by_slots(&[0, 1], &["a".to_string()]).unwrap_err().to_string();
    assert_eq!(few, "number of slots is 1; expected at least 2, one for each rank of the order");
    let missing = expected::read("goal", Path::new("a"), None).unwrap_err().to_string();
    assert_eq!(
        missing,
        "launcher format is `goal`; expected one of rankfile, slurm-hostfile, mpich-rank-order"
    );
}

#[test]
fn ranks_in_wrong_places_are_named() {
    let at = |host: &str, processors: &str| Seat {
        host: host.into(),
        processors: seats::processors(processors),
        started: None,
    };
    let wanted = rankfile(
        "rank 0=a slot=0\nrank 1=a slot=1\nrank 2=a.x slot=0:1\nrank 3=b slot=0-1\n".as_bytes(),
        "r",
    )
    .unwrap();
    let names = |seats: &[Seat]| {
        compare(&wanted, seats).into_iter().map(|it| (it.rank, it.found)).collect::<Vec<_>>()
    };
    assert_eq!(names(&[at("a", "0"), at("a", "1"), at("a.x", "2"), at("b.y", "0-1")]), []);
    assert_eq!(
        names(&[at("a", "0-1"), at("a", "0-1"), at("ab", "2"), at("b", "")]),
        [(1, "processor 0, where rank 0 is".to_string()), (2, "ab".to_string())],
        "nobody is bound, and a name that begins like another is another"
    );
    assert_eq!(names(&[at("a", ""), at("a", ""), at("a.x", ""), at("b", "")]), [], "where nothing is told");
    assert_eq!(
        names(&[at("a.y", "0"), at("a", "1"), at("a.y", "2"), at("b", "3")]),
        [(2, "a.y".to_string())]
    );
    assert!(seats::processors("0-4294967295").is_empty(), "no machine has so many");
    assert_eq!(seats::listed(&seats::processors("5,0-2,3")), "5,0-3");
}

#[test]
fn seats_travel() {
    let told = Started { launcher: "Open MPI".into(), rank: 3, ranks: Some(4), local: None };
    let seat = |rank: u32| Seat {
        host: format!("n{}", rank % 2),
        processors: vec![rank, rank + 64],
        started: (rank == 3).then(|| told.clone()),
    };
    for ranks in [1, 2, 5] {
        let all = threads::run(ranks, |endpoint| {
            let mut mail = meshwright_runtime::transport::Mailbox::new(endpoint);
            let own = seat(mail.rank());
            let all = mail.gather(0, 7, seats::Carried::from(own))?;
            Ok::<_, meshwright_runtime::transport::Lost>(all.unwrap_or_default())
        })
        .unwrap();
        let all: Vec<Vec<Seat>> =
            all.into_iter().map(|all| all.into_iter().map(Seat::from).collect()).collect();
        assert_eq!(all[0], (0..ranks).map(seat).collect::<Vec<_>>());
        assert!(all[1..].iter().all(Vec::is_empty));
        let machine = table(&seats::coordinates(&all[0])).unwrap();
        assert_eq!(machine.living_count(), ranks, "what is written is read again");
        let hosts: Vec<&str> = machine.places().iter().map(|place| place.host.as_str()).collect();
        assert_eq!(hosts, all[0].iter().map(|seat| seat.host.as_str()).collect::<Vec<_>>());
    }
    let here = Seat::here("a".into());
    assert!(cfg!(not(target_os = "linux")) || !here.processors.is_empty());
    let inner = [("SLURM_PROCID", "0"), ("OMPI_COMM_WORLD_RANK", "7"), ("PMIX_RANK", "x")];
    let by = |variables: &[(&str, &str)]| started(&job(variables)).map(|told| (told.launcher, told.rank));
    assert_eq!(by(&inner), Some(("Open MPI".into(), 7)), "mpirun within a job of Slurm");
    assert_eq!(by(&inner[..1]), Some(("Slurm".into(), 0)));
    assert_eq!(by(&inner[2..]), None);
}
