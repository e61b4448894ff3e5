/** Text that a name, a label or a foreign error may contain: it renames a terminal, clears it, colours and reverses the line. */
export const HOSTILE = '\u001b]0;owned\u0007\u001b[2J\u009b31m\u202egnp\u2066\u2028\u2029\u0000\u0085'

/** Hostile text longer than any screen is wide. */
export const LONG = `${HOSTILE}${'long'.repeat(500)}`

/** Characters that no command may print: they would move the cursor, or reverse the line. */
export const UNPRINTABLE = /(?!\n|\t|\r\n)[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/u
