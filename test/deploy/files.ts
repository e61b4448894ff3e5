import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/** The directory of the repository. */
export const ROOT = fileURLToPath(new URL('../..', import.meta.url))

/** The text of a file of the repository. */
export const textOf = (file: string): string => readFileSync(`${ROOT}/${file}`, 'utf8')

/** The pages of the API for clients, one behind the other. */
export const apiPages = (): string =>
  ['docs/api.md', ...readdirSync(`${ROOT}/docs/api`).map(name => `docs/api/${name}`)].map(textOf).join('\n')
