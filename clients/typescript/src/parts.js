// What programs of Node and pages of a browser have in common.
export { Client } from "./client.js";
export { ClosedError, CloseCode, FieldError, NotSentError, RefusedError, RefuseCode }
  from "./errors.js";
export { booleanField, dataField, decimalField, Group, integerField, namedField, textField,
         timeField } from "./field.js";
export { Fields, Message } from "./message.js";
