//! Messages between threads, and values as bytes.

use std::fmt::Debug;
use std::time::Duration;

use meshwright_runtime::transport::{Endpoint, Mailbox, Wire, threads};
use proptest::collection::vec;
use proptest::prelude::*;

/// Written and read again, cut short, and with something behind it.
fn there_and_back<T: Wire + PartialEq + Debug>(value: &T) {
    let mut bytes = vec![];
    value.write(&mut bytes);
    assert_eq!(value.volume().0, bytes.len() as u64);
    // All short pieces, and of the long ones those that end near the end.
    for length in (0..bytes.len()).filter(|&length| length < 40 || length + 20 > bytes.len()) {
        assert!(T::read(&mut &bytes[..length]).is_none(), "{length} of {} bytes are no value", bytes.len());
    }
    bytes.push(9);
    let mut rest = bytes.as_slice();
    assert_eq!(T::read(&mut rest).as_ref(), Some(value));
    assert_eq!(rest, [9], "what stands behind a value stays");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn values_come_back(list: Vec<u32>, pair: (u64, bool), maybe: Option<(u8, i64)>, text in ".{0,20}", nested in vec(vec(any::<u16>(), 0..5), 0..5)) {
        there_and_back(&list);
        there_and_back(&(pair, text, nested));
        there_and_back(&maybe);
    }

    #[test]
    fn numbers_in_one_go_are_numbers_one_by_one(list: Vec<i32>) {
        let (mut all, mut single) = (vec![], vec![]);
        Wire::write_all(&list, &mut all);
        list.iter().for_each(|number| number.write(&mut single));
        prop_assert_eq!(all, single);
    }
}

#[test]
fn a_length_that_lies_is_no_value() {
    let mut bytes = vec![];
    u64::MAX.write(&mut bytes);
    assert!(Vec::<u32>::read(&mut bytes.as_slice()).is_none());
    assert!(String::read(&mut bytes.as_slice()).is_none());
    assert!(bool::read(&mut [2u8].as_slice()).is_none());
    assert!(String::read(&mut [1u8, 0, 0, 0, 0, 0, 0, 0, 0xff].as_slice()).is_none(), "this is no UTF-8");
}

#[test]
fn messages_of_equal_tags_keep_their_order() {
    let heard = threads::run(3, |endpoint| {
        let mut mail = Mailbox::new(endpoint);
        for number in 0..100u32 {
            mail.send(0, number % 2, &(mail.rank(), number))?;
        }
        let mut heard = vec![];
        if mail.rank() == 0 {
            for from in (0..3).rev() {
                for tag in [1, 0] {
                    for _ in 0..50 {
                        heard.push(mail.receive::<(u32, u32)>(from, tag)?);
                    }
                }
            }
        }
        assert_eq!(mail.sent(), 100);
        assert_eq!(mail.sent_bytes().0, 800);
        Ok(heard)
    });
    let heard = heard.expect("nobody is lost").swap_remove(0);
    let expected =
        |from: u32| [1, 0].into_iter().flat_map(move |tag| (0..50).map(move |i| (from, 2 * i + tag)));
    assert_eq!(heard, (0..3).rev().flat_map(expected).collect::<Vec<_>>());
}

#[test]
fn early_messages_are_not_forgotten_by_whoever_takes_anything() {
    let endpoint = threads::endpoints(1).swap_remove(0);
    let mut mail = Mailbox::new(endpoint);
    for tag in [5, 6, 7] {
        mail.send(0, tag, &tag).expect("it is alone");
    }
    assert_eq!(mail.receive::<u32>(0, 7), Ok(7));
    let mut next = || mail.next(Duration::ZERO).expect("it is alone").map(|parcel| parcel.tag);
    assert_eq!([next(), next(), next()], [Some(5), Some(6), None]);
}

#[test]
fn a_rank_that_panics_is_lost_for_all_others() {
    let waiting = std::thread::spawn(|| {
        let lost = std::sync::Mutex::new(vec![]);
        let run = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            threads::run(4, |mut endpoint| {
                assert!(endpoint.rank() != 2, "this rank gives up");
                let found = loop {
                    match endpoint.next(Duration::from_secs(60)) {
                        Ok(_) => (),
                        Err(found) => break found,
                    }
                };
                lost.lock().expect("nobody panics with it").push(found.rank);
                Err::<(), _>(found)
            })
        }));
        (run.is_err(), lost.into_inner().expect("nobody panics with it"))
    });
    assert_eq!(waiting.join().expect("it catches the panic"), (true, vec![2, 2, 2]));
}
