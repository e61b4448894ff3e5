import type { Fields, RecordOf } from './fields.ts'
import { list, moment, number, text } from './shape.ts'

// A kept response, declared once. A new field is optional, since responses without it exist.

/** Facts that stores keep of a response beside the sealed response itself. */
const RESPONSE_HEAD = {
  id: text,
  /** The ids of items that it is found by. */
  items: list(text),
  /** Its size, as `bytesOf` counts it. */
  bytes: number,
  expiresAt: moment,
} satisfies Fields

export interface ResponseHead extends RecordOf<typeof RESPONSE_HEAD> {}

const { bytes: _bytes, ...KEPT } = RESPONSE_HEAD

const RESPONSE_STATE = {
  account: text,
  ...KEPT,
  /** In base64. */
  sealed: text,
} satisfies Fields

/** A kept response as a backup has it, sealed. */
export interface ResponseState extends RecordOf<typeof RESPONSE_STATE> {}
