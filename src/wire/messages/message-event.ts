/** One event of a stream; `members` are JSON, without braces. */
export const messageEvent = (type: string, members?: string): string =>
  `event: ${type}\ndata: {"type":"${type}"${members === undefined ? '' : `,${members}`}}\n\n`
