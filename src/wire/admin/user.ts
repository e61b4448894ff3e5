/** In which svcctl says who runs it, for the audit. */
export const USER_HEADER = 'x-svcctl-user'

/** The name that an operator gives with `--as`, which goes before that of the user. A sign-in has a name of its own and takes none. */
export const AS_HEADER = 'x-svcctl-as'

/** No blank, and no bracket in front: no name reads like one of the gateway's own words, such as `operator (local)`. */
export const USER = /^[0-9A-Za-z_][!-~]{0,63}$/

export const USER_HINT = 'must be 1 to 64 visible ASCII characters, the first a letter, a digit or _'

/** The header that a repetition of a mint or a rotation has too, so that it gets the same key. */
export const REPEAT_HEADER = 'idempotency-key'
