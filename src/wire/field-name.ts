/** A client may choose the name, as long as its body. */
const MAX_LENGTH = 200

/** `["messages", "0", "role"]` is `messages[0].role`; nothing is the body itself. */
export function fieldName(path: readonly string[]): string {
  const name = path
    .map(step => (/^\d+$/.test(step) ? `[${step}]` : `.${step}`))
    .join('')
    .replace(/^\./, '')
  return name.length > MAX_LENGTH ? `${name.slice(0, MAX_LENGTH)}…` : name || 'body'
}
