import { isObject } from '../json.ts'
import type { Left, Section } from '../section.ts'

/** The credentials that models name by `litellm_credential_name`. */
export class Credentials {
  readonly #values = new Map<string, Readonly<Record<string, unknown>>>()
  readonly #used = new Set<string>()
  readonly #sections: readonly Section[]

  constructor(sections: readonly Section[]) {
    this.#sections = sections
    for (const section of sections) {
      const values = section.take('credential_values')
      this.#values.set(section.text('credential_name') ?? '', isObject(values) ? values : {})
    }
  }

  /** An entry of `model_list` with what its credential says; its own parameters go before that. */
  resolved(entry: unknown): unknown {
    if (!isObject(entry) || !isObject(entry.litellm_params)) return entry
    const { litellm_credential_name: name, ...params } = entry.litellm_params
    const values = typeof name === 'string' ? this.#values.get(name) : undefined
    if (typeof name !== 'string' || values === undefined) return entry
    this.#used.add(name)
    return { ...entry, litellm_params: { ...values, ...params } }
  }

  /** Credentials that no model names, and members that say nothing of a backend. */
  left(): readonly Left[] {
    return this.#sections.flatMap(section => {
      const name = section.text('credential_name') ?? ''
      const unused = this.#used.has(name) ? [] : [{ path: section.path, why: 'no model names it' }]
      return [...unused, ...section.left({ credential_info: 'a pool has no description' })]
    })
  }
}
