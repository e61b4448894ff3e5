import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/** The directory of the repository. */
export const ROOT = fileURLToPath(new URL('../..', import.meta.url))

/** The text of a file of the repository. */
export const textOf = (file: string): string => readFileSync(`${ROOT}/${file}`, 'utf8')
