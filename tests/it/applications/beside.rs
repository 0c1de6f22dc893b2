//! The measurement of speed-ups: all executors are there, all are right, and one that is not is found out.

use meshwright_demos::speedup::{
    APPLICATIONS, Application, Collectives, Speedups, Task, measure_here, measure_on_ranks,
};
use meshwright_runtime::transport::{Endpoint, Lost, Mailbox, threads};

#[test]
fn all_executors_agree_on_one_machine() {
    for application in APPLICATIONS {
        for task in tasks(application) {
            let ranked = task.ranked(None, None).unwrap();
            let speedups = measure_here(&task, 2, &ranked, &mut |_| {}).unwrap();
            assert!(speedups.is_right(), "{speedups:?}");
            let names: Vec<&str> = speedups.executors.iter().map(|executor| executor.name.as_str()).collect();
            assert_eq!(names[..3], ["sequential", "threads", "ranks on threads"]);
            assert!(names.iter().any(|name| name.starts_with("rayon: join by hand")), "{names:?}");
            let first = &speedups.executors[0];
            assert_eq!((first.speedup, first.runs), (1.0, 2));
            for executor in &speedups.executors {
                assert_eq!(executor.speedup, first.seconds / executor.seconds, "{}", executor.name);
            }
        }
    }
}

/// So many ranks solve a problem of this size: none at all, fewer parts than ranks, odd ones. A matrix takes its time.
fn tasks(application: &'static Application) -> impl Iterator<Item = Task> {
    let sizes = [(0, 1), (1, 2), (2, 3), (3, 9), (7, 4), (301, 6)];
    let is_quick = |size| application.name != "matrix-chain" || (1..100).contains(&size);
    let sizes = sizes.into_iter().filter(move |&(size, _)| is_quick(size));
    sizes.map(move |(size, ranks)| Task::new(application, Some(size), (ranks, 12, 2)).unwrap())
}

/// Collective operations one message after the other, on a network of their own.
struct Linear<E> {
    mail: Mailbox<E>,
    /// Half of what this rank gives is lost.
    liar: Option<u32>,
}

impl<E: Endpoint> Collectives for Linear<E> {
    const PREFIX: &'static str = "linear ";

    fn broadcast(&mut self, root: u32, value: Vec<u8>) -> Result<Vec<u8>, Lost> {
        let ranks = self.mail.ranks() as usize;
        let parts = (self.mail.rank() == root).then(|| vec![value; ranks]);
        self.scatter(root, parts)
    }

    fn sum(&mut self, root: u32, values: &[u64]) -> Result<Option<Vec<u64>>, Lost> {
        let bytes = values.iter().flat_map(|value| value.to_le_bytes()).collect();
        let Some(all) = self.gather(root, bytes)? else { return Ok(None) };
        let mut sums = vec![0u64; values.len()];
        for bytes in all {
            for (sum, number) in sums.iter_mut().zip(bytes.chunks_exact(8)) {
                *sum = sum.wrapping_add(u64::from_le_bytes(number.try_into().unwrap()));
            }
        }
        Ok(Some(sums))
    }

    fn scatter(&mut self, root: u32, parts: Option<Vec<Vec<u8>>>) -> Result<Vec<u8>, Lost> {
        for (rank, part) in (0..).zip(parts.into_iter().flatten()) {
            self.mail.send_bytes(rank, 1, part)?;
        }
        self.mail.receive_bytes(root, 1)
    }

    fn gather(&mut self, root: u32, mut bytes: Vec<u8>) -> Result<Option<Vec<Vec<u8>>>, Lost> {
        if self.liar == Some(self.mail.rank()) {
            // Shapes and lengths stand before.
            let middle = bytes.len() / 2;
            bytes[middle..].fill(0);
        }
        self.mail.send_bytes(root, 2, bytes)?;
        if self.mail.rank() != root {
            return Ok(None);
        }
        (0..self.mail.ranks())
            .map(|rank| self.mail.receive_bytes(rank, 2))
            .collect::<Result<_, _>>()
            .map(Some)
    }
}

/// What rank 0 says, and that nobody else says anything.
fn measured(task: &Task, placement: Option<&str>, liar: Option<u32>) -> Speedups {
    let ranked = task.ranked(None, placement).unwrap();
    let second: Vec<_> =
        threads::endpoints(task.ranks).into_iter().map(|end| std::sync::Mutex::new(Some(end))).collect();
    let ended = threads::run(task.ranks, |endpoint| {
        let own = second[endpoint.rank() as usize].lock().unwrap().take().unwrap();
        let mut collectives = Linear { mail: Mailbox::new(own), liar };
        measure_on_ranks(task, &ranked, &mut Mailbox::new(endpoint), &mut collectives)
    });
    let mut ended = ended.unwrap();
    assert!(ended[1..].iter().all(Option::is_none));
    ended.remove(0).expect("rank 0 has the answer")
}

#[test]
fn all_executors_agree_on_ranks() {
    for application in APPLICATIONS {
        for task in tasks(application) {
            // The root lies in the middle of the mesh, or at the last rank.
            for placement in [None, Some("launched")] {
                let speedups = measured(&task, placement, None);
                assert!(speedups.is_right(), "{speedups:?}");
                assert_eq!(speedups.executors.len(), 3);
                assert!(speedups.executors[2].name.starts_with("linear "), "{speedups:?}");
                assert!(speedups.executors.iter().all(|executor| executor.runs == 2), "{speedups:?}");
            }
        }
    }
}

#[test]
fn a_wrong_solution_is_found_out() {
    for application in APPLICATIONS {
        let size = if application.name == "matrix-chain" { 5 } else { 40 };
        let task = Task::new(application, Some(size), (4, 1, 1)).unwrap();
        let wrong = measured(&task, None, Some(3));
        let checked: Vec<bool> = wrong.executors.iter().map(|executor| executor.checked).collect();
        assert_eq!(checked, [true, true, false], "{wrong:?}");
        assert!(!wrong.is_right());
        assert!(measured(&task, None, None).is_right());
    }
}
