import { readdirSync, readFileSync } from 'node:fs'
import { join, normalize } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'

const root = fileURLToPath(new URL('../../src/http/', import.meta.url))
const sources = new Map(
  readdirSync(root, { recursive: true, encoding: 'utf8' })
    .filter(path => path.endsWith('.ts'))
    .map(path => [path, readFileSync(join(root, path), 'utf8')]),
)

/** Types that give an endpoint every dependency of its listener. */
const APPS = ['ClientApp', 'OperatorApp']
/** Where these are declared, and handed on to the endpoints. */
const FAMILIES = [
  'public/client-app.ts',
  'public/client-family.ts',
  'admin/operator-app.ts',
  'admin/operator-family.ts',
  'admin/declared.ts',
]
const MOST = 12

it('no handler takes all that its listener works with', () => {
  const faults = [...sources].flatMap(([path, text]) => (FAMILIES.includes(path) ? [] : wholeIn(path, text)))

  expect(faults).toEqual([])
})

it(`no handler takes more than ${MOST} members of it; ports that a use-case declares count as one`, () => {
  const counts = [...sources].flatMap(([path, text]) =>
    typesIn(text).map(({ name, type }) => ({ name: `${path} ${name}`, members: membersOf(path, type) })),
  )

  expect(counts.length).toBeGreaterThan(50)
  expect(counts.filter(({ members }) => members.size > MOST)).toEqual([])
})

it('a whole app is found wherever it is taken, and members are counted through other types', () => {
  expect(wholeIn('a.ts', 'function f({ clock }: ClientApp, call: HttpCall): void')).toHaveLength(1)
  expect(wholeIn('a.ts', 'async (app: Omit<OperatorApp, "clock">) => {}')).toHaveLength(1)
  expect(wholeIn('a.ts', "type A = Pick<ClientApp, 'clock'>\nconst b: ClientApp['clock']")).toEqual([])
  expect(membersOf('public/infer.ts', 'InferApp & Pick<ClientApp, "reads">')).toEqual(
    new Set([...membersOf('public/infer.ts', 'InferApp'), 'reads']),
  )
  expect(membersOf('public/infer.ts', 'InferApp')).toContain('shedding')
})

function wholeIn(path: string, text: string): readonly string[] {
  const code = text.replace(/^import .*$|\/\/.*$|\/\*[\s\S]*?\*\//gm, '')
  const names = new RegExp(`.*(?<!Pick<\\s*|\\w)(?:${APPS.join('|')})\\b(?!\\[).*`, 'g')
  return [...code.matchAll(names)].map(([line]) => `${path}: ${line.trim()}`)
}

/** The types that have a name, and those of parameters that take members of an app. */
function typesIn(text: string): readonly { readonly name: string; readonly type: string }[] {
  const named = [...text.matchAll(/^(?:export )?type (\w+) =([^=]*?)\n(?=\n|\/|export|type|const|function)/gm)]
  const inline = [...text.matchAll(/Pick<\s*(?:ClientApp|OperatorApp),[^>]*>/g)]
  return [
    ...named.map(([, name = '', type = '']) => ({ name, type })).filter(({ type }) => !type.includes('{')),
    ...inline.map(([type]) => ({ name: type, type })),
  ]
}

/** The members that a type takes: those of its parts, and each set of ports that is declared elsewhere as one. */
function membersOf(path: string, type: string): ReadonlySet<string> {
  const parts = type.split('&').map(part => part.trim())
  return new Set(
    parts.flatMap(part => {
      const picked = /^Pick<\s*(?:ClientApp|OperatorApp),([\s\S]*)>$/.exec(part)?.[1]
      if (picked !== undefined) return [...picked.matchAll(/['"](\w+)['"]/g)].map(([, name = '']) => name)
      const found = /^\w+$/.test(part) ? declaredIn(path, part) : undefined
      return found ? [...membersOf(found.path, found.type)] : [part]
    }),
  )
}

/** The alias of this name in a file, or in the file of src/http that it is imported from. */
function declaredIn(path: string, name: string): { readonly path: string; readonly type: string } | undefined {
  const text = sources.get(path) ?? ''
  const own = typesIn(text).find(each => each.name === name)
  if (own) return { path, type: own.type }
  const from = new RegExp(`import [^']*\\b${name}\\b[^']* from '(\\.[^']+)'`).exec(text)?.[1]
  const target = from === undefined ? undefined : normalize(join(path, '..', from))
  return target !== undefined && sources.has(target) ? declaredIn(target, name) : undefined
}
