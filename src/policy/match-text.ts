/** Matches exactly, or up to the trailing `*`. */
export const matchesText = (value: string, text: string): boolean =>
  text.endsWith('*') ? value.startsWith(text.slice(0, -1)) : value === text
