// Patterns of the names that clients and operators give, for bodies and their schemas.

/**
 * How an account may be called: one line that shows as it reads, so that no listing can be forged with it. Nothing is
 * invisible in it, and no blank is at its ends: two labels that look the same are the same.
 */
export const LABEL = '^(?!\\s)[^\\p{C}\\p{Zl}\\p{Zp}]{1,200}(?<!\\s)$'

/** How an org is named where an account might be: `org:acme`. */
export const ORG_ID = '^org:[0-9A-Za-z][0-9A-Za-z._-]{0,62}$'

/** One form of a device id for every gateway: any printable text, as it was sent. */
export const DEVICE_ID = '^[^\\p{C}\\p{Zl}\\p{Zp}]{1,256}$'
