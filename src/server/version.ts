import { readFileSync } from 'node:fs'

const { version: text } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'))

/** The version of this package. */
export const version = String(text)
