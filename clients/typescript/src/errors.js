export const CloseCode = Object.freeze({
  Version: 1, Denied: 2, AlreadyAttached: 3, BadFrame: 4, TooSlow: 5, NoHello: 6, Stopping: 7,
  CursorInvalid: 8, MessagesGone: 9, ClientEnds: 10,
});
const FINAL = new Set([CloseCode.Version, CloseCode.Denied, CloseCode.BadFrame,
                       CloseCode.CursorInvalid, CloseCode.MessagesGone, CloseCode.ClientEnds]);

export const RefuseCode = Object.freeze({
  BadMessage: 1, NotAllowed: 2, SessionClosed: 3, RateLimited: 4, Unavailable: 5, AfterRefused: 6,
  Reset: 7,
});

export class ClosedError extends Error {
  name = "ClosedError";
  constructor(code, reason) {
    super(`closed with code ${code}: ${reason}`);
    this.code = code;
  }
  // Another attempt to attach has the same end.
  get isFinal() { return FINAL.has(this.code); }
}

export class RefusedError extends Error {
  name = "RefusedError";
  constructor(session, number, code, reason, waitMs) {
    super(`message ${number} to ${session} was refused: ${reason}`);
    Object.assign(this, { session, number, code, waitMs });
  }
}

export class NotSentError extends Error {
  name = "NotSentError";
}

export class FieldError extends Error {
  name = "FieldError";
  constructor(tag, reason) {
    super(`field ${tag}: ${reason}`);
    this.tag = tag;
  }
}
