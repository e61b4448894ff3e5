import { remembered } from '../../gateway/lifetimes.ts'
import type { AnyShape, Optional, Shape } from '../../records/shape.ts'
import { BadMessage, type Reader, type Writer } from './bytes.ts'

/** Writes and reads values of one shape. */
export interface Codec<T> {
  readonly write: (writer: Writer, value: T) => void
  /** Throws where the bytes are no such value. */
  readonly read: (reader: Reader) => T
}

/**
 * Makes the code for a shape. It is compiled: to walk the shape for each message takes six times as long, which would be
 * more than all else that a message costs.
 */
export function codecOf<T>(shape: Shape<T> | Optional<T>): Codec<T> {
  const code = new Code()
  const [write, read] = [code.writes(shape as AnyShape, 'v'), code.reads(shape as AnyShape)]
  const text = `${code.functions.join('\n')}
return { write: (w, v) => { ${write} }, read: r => ${read} }`
  return new Function('known', 'json', 'repeated', 'bad', text)(code.known, JSON, repeated(), bad) as Codec<T>
}

/** Statements and expressions over `w`, a Writer, and `r`, a Reader. Each record and list has a function of its own. */
class Code {
  readonly functions: string[] = []
  /** Values that the code refers to. */
  readonly known: (readonly unknown[])[] = []

  /** A statement that writes the value of an expression. */
  writes(shape: AnyShape, value: string): string {
    switch (shape.kind) {
      case 'number':
      case 'moment':
        return `w.f64(${value});`
      case 'flag':
        return `w.u8(${value} ? 1 : 0);`
      case 'text':
        return `w.text(${value});`
      case 'bytes':
        return `w.raw(${value});`
      case 'nothing':
        return ''
      case 'counts':
      case 'texts':
        return `w.text(json.stringify(${value}));`
      case 'json':
        return `w.text(${shape.repeated ? 'repeated.textOf' : 'json.stringify'}(${value}));`
      case 'constant':
        return `w.u8(known[${this.#know(shape.among)}].indexOf(${value}));`
      case 'optional':
        return `if (${value} === undefined) w.u8(0); else { w.u8(1); ${this.writes(shape.present, value)} }`
      case 'list':
        return `w.u32(${value}.length); for (const item of ${value}) { ${this.writes(shape.item, 'item')} }`
      case 'either':
        return `if (${value}.${shape.field} === ${JSON.stringify(shape.is)}) { w.u8(1); ${this.writes(shape.then, value)} }
          else { w.u8(0); ${this.writes(shape.or, value)} }`
      case 'record':
        return `${this.#function(this.#writer(shape.fields))}(w, ${value});`
    }
  }

  /** An expression that reads a value. */
  reads(shape: AnyShape): string {
    switch (shape.kind) {
      case 'number':
      case 'moment':
        return 'r.f64()'
      case 'flag':
        return 'r.u8() === 1'
      case 'text':
        return 'r.text()'
      case 'bytes':
        return 'r.raw()'
      case 'nothing':
        return 'undefined'
      case 'counts':
      case 'texts':
        return 'json.parse(r.text())'
      case 'json':
        return shape.repeated ? 'repeated.valueOf(r.text())' : 'json.parse(r.text())'
      case 'constant': {
        const known = `known[${this.#know(shape.among)}]`
        return `(${known}[r.u8()] ?? bad())`
      }
      case 'optional':
        return `(r.u8() === 0 ? undefined : ${this.reads(shape.present)})`
      case 'list':
        return `${this.#function(`r => { const all = []; for (let n = r.count(); n > 0; n--) all.push(${this.reads(shape.item)}); return all }`)}(r)`
      case 'either':
        return `(r.u8() === 1 ? ${this.reads(shape.then)} : ${this.reads(shape.or)})`
      case 'record':
        return `${this.#function(this.#reader(shape.fields))}(r)`
    }
  }

  /** Which of the optional fields are there comes first, then all that always are. */
  #writer(fields: Readonly<Record<string, AnyShape>>): string {
    const { always, maybe } = partsOf(fields)
    const bits = maybe.map(([name], place) => `(v.${name} === undefined ? 0 : ${1 << place})`)
    return `(w, v) => {
      ${maybe.length > 0 ? `const has = ${bits.join(' | ')}; w.u32(has);` : ''}
      ${always.map(([name, shape]) => this.writes(shape, `v.${name}`)).join('\n')}
      ${maybe.map(([name, shape], place) => `if (has & ${1 << place}) { ${this.writes(shape, `v.${name}`)} }`).join('\n')}
    }`
  }

  #reader(fields: Readonly<Record<string, AnyShape>>): string {
    const { always, maybe } = partsOf(fields)
    return `r => {
      ${maybe.length > 0 ? 'const has = r.u32();' : ''}
      const v = { ${always.map(([name, shape]) => `${name}: ${this.reads(shape)}`).join(', ')} }
      ${maybe.map(([name, shape], place) => `if (has & ${1 << place}) v.${name} = ${this.reads(shape)};`).join('\n')}
      return v
    }`
  }

  #function(text: string): string {
    const name = `f${this.functions.length}`
    this.functions.push(`const ${name} = ${text}`)
    return name
  }

  #know(values: readonly unknown[]): number {
    const known = this.known.indexOf(values)
    return known >= 0 ? known : this.known.push(values) - 1
  }
}

type Field = readonly [name: string, shape: AnyShape]

function partsOf(fields: Readonly<Record<string, AnyShape>>) {
  const [always, maybe]: [Field[], Field[]] = [[], []]
  for (const [name, shape] of Object.entries(fields)) {
    if (!/^[A-Za-z]+$/.test(name)) throw new Error(`${name} is no name of a field`)
    if (shape.kind === 'optional') maybe.push([name, shape.present])
    else always.push([name, shape])
  }
  if (maybe.length > 31) throw new Error('a record has at most 31 optional fields')
  return { always, maybe }
}

/** JSON of values that come again: each is written once as long as it lives, and of the last texts each is read once. */
function repeated() {
  const texts = new WeakMap<object, string>()
  return {
    textOf: (value: object): string => {
      const known = texts.get(value)
      if (known !== undefined) return known
      const text = JSON.stringify(value)
      texts.set(value, text)
      return text
    },
    valueOf: remembered(TEXTS_KEPT, text => JSON.parse(text) as object),
  }
}

const TEXTS_KEPT = 10_000

function bad(): never {
  throw new BadMessage('no such constant')
}
