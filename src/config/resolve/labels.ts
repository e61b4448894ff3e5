import type { Label } from '../../policy/config.ts'
import type { ConfigFile } from '../file.ts'
import type { Span } from '../model/tree.ts'

/** The labels of a checked main file, by name. `fields` has the place of each. */
export function labelsOf({ labels = {} }: ConfigFile, fields: ReadonlyMap<string, Span>): ReadonlyMap<string, Label> {
  return new Map(
    Object.entries(labels).map(([name, { from, values, required = [] }]): [string, Label] => {
      const { file = '', line = 1, column = 1 } = fields.get(`labels.${name}`) ?? fields.get('labels') ?? {}
      const header = from.map(headerIn).find(each => each !== undefined)
      return [
        name,
        Object.freeze({
          ...{ name, at: { file, line, column }, fields: {}, ofKey: from.includes('key') },
          ...(header !== undefined && { header }),
          ...(values && { values }),
          requiredBy: new Set(required.map(plan => plan.slice('plan:'.length))),
        }),
      ]
    }),
  )
}

/** The header of a source such as `header X-Project`, in lower case; undefined for `key`. */
export const headerIn = (source: string): string | undefined => /^header (.*)$/s.exec(source)?.[1]?.toLowerCase()
