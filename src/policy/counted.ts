/** `1 plan`, `3 aliases` */
export const counted = (count: number, noun: string): string =>
  `${count} ${count === 1 ? noun : noun.endsWith('s') ? `${noun}es` : `${noun}s`}`
