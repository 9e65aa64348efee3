//! Messages: encode, read, validate, split.
use nexusfix::fix44::{field, message, PartyRole, Side};
use nexusfix::{
    encode, next_frame, Decimal, Dictionary, Fields, Frame, Header, Parser, Timestamp, Validator,
};

const NOON: Timestamp = Timestamp(1_705_320_000_123_000_000);

fn order(buffer: &mut [u8]) -> &[u8] {
    let header = Header {
        begin_string: "FIX.4.4",
        sender_comp_id: "TRADER",
        target_comp_id: "VENUE",
        msg_seq_num: 7,
        sending_time: NOON,
    };
    let parties = [
        ("FIRM", PartyRole::ExecutingFirm),
        ("ANNA", PartyRole::ClientId),
    ];
    encode(message::NewOrderSingle, &header, buffer, |order| {
        order.set(field::ClOrdID, "A1");
        order.group(453, &parties, |party, (id, role)| {
            party.set(field::PartyID, id).set(field::PartyRole, *role);
        });
        order
            .set(field::Side, Side::Buy)
            .set(field::Price, Decimal::new(15025, -2));
    })
    .unwrap()
}

#[test]
fn an_encoded_order_is_read_with_the_types_of_the_dictionary() {
    let mut buffer = [0; 512];
    let bytes = order(&mut buffer);
    let mut parser = Parser::new().unwrap();
    let message = parser.parse(bytes).unwrap();
    assert_eq!(message.msg_type(), "D");
    assert_eq!(message.get(field::MsgSeqNum).unwrap(), 7);
    assert_eq!(message.get(field::SendingTime).unwrap(), NOON);
    assert_eq!(message.get(field::Side).unwrap(), Side::Buy);
    assert_eq!(
        message.get(field::Price).unwrap(),
        Decimal::new(150_250, -3)
    );
    assert_eq!(message.get(field::Price).unwrap().to_string(), "150.25");
    assert_eq!(message.find(field::Account).unwrap(), None);
    assert_eq!(
        message.get(field::Account).unwrap_err().status,
        "NXF_MISSING"
    );
    assert_eq!(message.fields().first(), Some(&(8, &b"FIX.4.4"[..])));
}

#[test]
fn entries_of_a_group_are_iterated() {
    let mut buffer = [0; 512];
    let bytes = order(&mut buffer);
    let mut parser = Parser::new().unwrap();
    let copy = parser.parse(bytes).unwrap().to_owned().unwrap();
    drop(parser);
    let roles: Vec<_> = copy
        .view()
        .group(453)
        .map(|party| party.get(field::PartyRole).unwrap())
        .collect();
    assert_eq!(roles, [PartyRole::ExecutingFirm, PartyRole::ClientId]);
    assert_eq!(copy.view().group(555).count(), 0);
}

#[test]
fn a_violation_has_its_tag_and_its_rule() {
    let mut buffer = [0; 512];
    let bytes = order(&mut buffer);
    let dictionary = Dictionary::builtin("FIX.4.4").unwrap();
    assert_eq!(dictionary.field_name(54), Some("Side"));
    assert_eq!(dictionary.value_name(54, "1"), Some("BUY"));
    let mut validator = Validator::new(&dictionary).unwrap();
    let mut parser = Parser::with(&dictionary).unwrap();
    let found = validator.validate(&parser.parse(bytes).unwrap()).unwrap();
    assert_eq!((found.tag, found.rule), (40, "RequiredTagMissing"));
}

#[test]
fn errors_say_what_is_wrong() {
    let unknown = Dictionary::builtin("FIX.9.9").err().unwrap();
    assert!(unknown.to_string().contains("FIX.9.9"), "{unknown}");
    let mut parser = Parser::new().unwrap();
    assert_eq!(parser.parse(b"8=FIX").err().unwrap().status, "NXF_GARBLED");
}

#[test]
fn a_stream_is_split_into_frames() {
    let mut buffer = [0; 512];
    let bytes = order(&mut buffer);
    assert_eq!(
        next_frame(&[bytes, b"8=F"].concat()),
        Frame::Complete(bytes.len())
    );
    assert!(matches!(next_frame(&bytes[..30]), Frame::NeedMore(_)));
    assert!(matches!(
        next_frame(&[b"noise", bytes].concat()),
        Frame::Garbled(5, _)
    ));
}

#[test]
fn handles_may_move_to_other_threads() {
    fn is_send<T: Send>() {}
    fn is_sync<T: Sync>() {}
    is_send::<Parser>();
    is_send::<Validator>();
    is_send::<nexusfix::OwnedMessage>();
    is_sync::<nexusfix::OwnedMessage>();
    is_sync::<Dictionary>();
}
