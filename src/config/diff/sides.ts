import type { Place } from '../../policy/config.ts'
import type { Loaded } from '../settings.ts'

/** A configuration, and the directory of its main file, where relative paths start. Absolute. */
export interface Side {
  readonly loaded: Loaded
  readonly directory: string
}

/** The two that are compared. */
export interface Sides {
  readonly before: Side
  readonly after: Side
  /** Whether a text stands for one that is not known, so that it differs from nothing. */
  readonly isUnknown: (text: string) => boolean
}

/** The place of a field of the main file, such as `server.listen`; else of its section, or of the file. */
export function placeIn({ fields, files }: Loaded, path: string): Place {
  const [section = ''] = path.split('.')
  const { file, line, column } = fields.get(path) ?? fields.get(section) ?? { file: files[0] ?? '', line: 1, column: 1 }
  return { file, line, column }
}
