import { readFileSync } from 'node:fs'
import { hostname } from 'node:os'

const { version: text } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'))

/** The version of this package. */
export const version = String(text)

/** The name of a process in its log. */
export const gatewayName = `${hostname()}:${process.pid}`
