//! The endpoint beside MPI itself: what it promises, checked on real ranks; and how fast it is.
//!
//! `mpirun -n 4 endpoint` checks; `mpirun -n 2 endpoint speed` prints a table.

use std::time::{Duration, Instant};

use meshwright_core::statistics;
use meshwright_mpi::MpiEndpoint;
use meshwright_runtime::transport::{Endpoint, Lost, Mailbox};
use mpi::traits::{Communicator, Destination, Source};

fn main() -> Result<(), Lost> {
    let (universe, _) =
        mpi::initialize_with_threading(mpi::Threading::Funneled).expect("MPI is started once in a process");
    let mut endpoint = MpiEndpoint::watching(&universe.world(), Duration::from_secs(30));
    let words: Vec<String> = std::env::args().collect();
    match words.get(1).map(String::as_str) {
        Some("speed") => speed(&mut endpoint)?,
        Some("long") => long(&mut endpoint)?,
        _ => check(&mut endpoint)?,
    }
    endpoint.finish()
}

/// Bytes that depend on who sends them and on their place.
fn payload(from: u32, length: usize) -> Vec<u8> {
    (0..length).map(|at| (at * 31 + at / 251 + from as usize * 7) as u8).collect()
}

fn check(endpoint: &mut MpiEndpoint) -> Result<(), Lost> {
    // One mailbox for all: it keeps what those send that are ahead.
    let mut mail = Mailbox::new(endpoint);
    let (own, ranks) = (mail.rank(), mail.ranks());
    // Around the longest short message, and around the piece.
    lengths(&mut mail, 1 << 20, [0, 1, 1_019, 1_023, 1_024, 1_025, 1_028, 1_029, 1_030, 3 << 20])?;
    lengths(&mut mail, 1_000, [0, 1, 999, 1_000, 1_001, 1_999, 2_000, 2_001, 10_000, 300_000])?;
    order(&mut mail)?;
    fairness(&mut mail)?;
    if own == 0 {
        println!("checked on {ranks} ranks");
    }
    Ok(())
}

/// Messages of these lengths, in pieces of this one: to everybody, this rank itself too, all tags.
fn lengths(mail: &mut Mailbox<&mut MpiEndpoint>, piece: usize, lengths: [usize; 10]) -> Result<(), Lost> {
    mail.endpoint().set_piece(piece);
    let (own, ranks) = (mail.rank(), mail.ranks());
    for to in 0..ranks {
        for (number, length) in (0..).zip(lengths) {
            mail.send_bytes(to, u32::MAX - number, payload(own, length))?;
        }
    }
    for (number, length) in (0_u32..10).zip(lengths).rev() {
        for from in 0..ranks {
            let came = mail.receive_bytes(from, u32::MAX - number)?;
            assert!(came == payload(from, length), "{length} bytes from {from} to {own}");
        }
    }
    Ok(())
}

/// Many messages of one tag, short and long ones mixed, come in order; nobody waits while they are sent.
fn order(mail: &mut Mailbox<&mut MpiEndpoint>) -> Result<(), Lost> {
    let (own, ranks) = (mail.rank(), mail.ranks());
    let to = (own + 1) % ranks;
    for number in 0..3_000_u32 {
        let mut bytes = number.to_le_bytes().to_vec();
        bytes.resize(if number % 100 == 0 { 50_000 } else { 4 }, 0);
        mail.send_bytes(to, 1, bytes)?;
    }
    for number in 0..3_000_u32 {
        let bytes = mail.receive_bytes((own + ranks - 1) % ranks, 1)?;
        assert_eq!(bytes[..4], number.to_le_bytes());
    }
    Ok(())
}

/// All others send without a pause until rank 0 has heard every one of them: however much one sends, the others are heard.
fn fairness(mail: &mut Mailbox<&mut MpiEndpoint>) -> Result<(), Lost> {
    let (own, ranks) = (mail.rank(), mail.ranks());
    if own > 0 {
        loop {
            mail.send_bytes(0, 2, vec![0; 100])?;
            if let Some(parcel) = mail.next(Duration::from_micros(50))? {
                assert_eq!((parcel.from, parcel.tag), (0, 3));
                return mail.send_bytes(0, 4, Vec::new());
            }
        }
    }
    let mut heard = vec![0_u64; ranks as usize];
    while heard[1..].contains(&0) {
        if let Some(parcel) = mail.next(Duration::from_secs(1))? {
            heard[parcel.from as usize] += 1;
        }
    }
    for other in 1..ranks {
        mail.send_bytes(other, 3, Vec::new())?;
    }
    for other in 1..ranks {
        mail.receive_bytes(other, 4)?;
    }
    Ok(())
}

/// More bytes than MPI counts.
fn long(endpoint: &mut MpiEndpoint) -> Result<(), Lost> {
    let length = (2_usize << 30) + 12_345;
    if endpoint.rank() == 0 {
        let mut bytes = vec![0_u8; length];
        for (at, byte) in bytes.iter_mut().enumerate().step_by(4_099) {
            *byte = at as u8;
        }
        endpoint.send(1, 5, bytes)?;
    } else if endpoint.rank() == 1 {
        let parcel = loop {
            if let Some(parcel) = endpoint.next(Duration::from_secs(1))? {
                break parcel;
            }
        };
        assert_eq!(parcel.bytes.len(), length);
        assert!(parcel.bytes.iter().enumerate().step_by(4_099).all(|(at, &byte)| byte == at as u8));
        println!("{length} bytes came");
    }
    Ok(())
}

/// Round trips between the first two ranks, ours and MPI's own blocking ones, in turns; the others wait.
fn speed(endpoint: &mut MpiEndpoint) -> Result<(), Lost> {
    const TIMES: usize = 200;
    let own = endpoint.rank();
    if own == 0 {
        println!("{:>10}  {:>12}  {:>12}", "bytes", "ours (us)", "MPI (us)");
    }
    for length in [0_usize, 1_000, 100_000, 10_000_000] {
        let (mut ours, mut mpis) = (Vec::new(), Vec::new());
        let mut bytes = vec![1_u8; length];
        for _ in 0..if length > 1_000_000 { 10 } else { TIMES } {
            let begin = Instant::now();
            if own == 0 {
                endpoint.send(1, 1, bytes)?;
                bytes = Mailbox::new(&mut *endpoint).receive_bytes(1, 1)?;
            } else if own == 1 {
                let came = Mailbox::new(&mut *endpoint).receive_bytes(0, 1)?;
                endpoint.send(0, 1, came)?;
            }
            ours.push(begin.elapsed());
            let begin = Instant::now();
            let world = endpoint.world();
            if own == 0 {
                world.process_at_rank(1).send(&bytes[..]);
                world.process_at_rank(1).receive_into(&mut bytes[..]);
            } else if own == 1 {
                world.process_at_rank(0).receive_into(&mut bytes[..]);
                world.process_at_rank(0).send(&bytes[..]);
            }
            mpis.push(begin.elapsed());
        }
        if own == 0 {
            let microseconds = |time: &Duration| time.as_secs_f64() * 1e6;
            let median = |times: &[Duration]| {
                statistics::median(times.iter().map(microseconds)).expect("there is a round")
            };
            println!("{length:>10}  {:>12.1}  {:>12.1}", median(&ours), median(&mpis));
        }
    }
    Ok(())
}
