/** What a name, a label or an error of somebody else may hold: it renames a terminal, clears it, colours and turns the line. */
export const HOSTILE = '\u001b]0;owned\u0007\u001b[2J\u009b31m\u202egnp\u2066\u2028\u2029\u0000\u0085'

/** The same, longer than any screen is wide. */
export const LONG = `${HOSTILE}${'long'.repeat(500)}`

/** What no command may print: it would move the cursor, or turn the line. */
export const UNPRINTABLE = /(?!\n|\t|\r\n)[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/u
