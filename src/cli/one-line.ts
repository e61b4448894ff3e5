/** Clients choose names and backends choose texts: neither may write a line of its own, or move the cursor. */
export const oneLine = (text: string): string => text.replace(/[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]+/gu, ' ')
