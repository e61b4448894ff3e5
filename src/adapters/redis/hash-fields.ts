import { type Fields, type ListedField, listOf, type RecordOf } from '../../records/fields.ts'

/** Texts of a hash in Redis by the names of their fields. */
export type Texts<Name extends string = string> = { readonly [N in Name]?: string | undefined }

/** Members of a record that are each a field of a hash, as it is declared: the one description by which they are written and read. */
export class HashFields<F extends Fields, Member extends keyof F & string, Name extends string> {
  readonly names: readonly Name[]
  readonly #listed: readonly (readonly [ListedField<Member>, Name])[]

  /** `names` has the field of each member. */
  constructor(fields: F, names: Readonly<Record<Member, Name>>) {
    this.#listed = listOf(fields)
      .filter((listed): listed is ListedField<Member> => Object.hasOwn(names, listed.member))
      .map(listed => [listed, names[listed.member]])
    this.names = this.#listed.map(([, name]) => name)
  }

  write(record: Pick<RecordOf<F>, Member & keyof RecordOf<F>>): Record<string, string> {
    const texts: Record<string, string> = {}
    for (const [{ member }, name] of this.#listed) {
      const value: unknown = record[member as keyof typeof record]
      if (value !== undefined) texts[name] = String(value)
    }
    return texts
  }

  /** Without the members that the hash does not have. A script that clears a field leaves an empty text. */
  read(texts: Texts): Partial<Pick<RecordOf<F>, Member & keyof RecordOf<F>>> {
    const record: Record<string, unknown> = {}
    for (const [{ member, kind }, name] of this.#listed) {
      const text = texts[name]
      if (text) record[member] = kind === 'number' || kind === 'moment' ? Number(text) : text
    }
    return record as Partial<Pick<RecordOf<F>, Member & keyof RecordOf<F>>>
  }
}
