import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { parseAst } from 'rolldown/parseAst'
import { expect, it } from 'vitest'
import { ROOT, textOf } from './files.ts'

/** The `@example` of each type that others are meant to implement, as code, with the file that declares the type. */
function examplesIn(file: string): readonly { readonly file: string; readonly type: string; readonly code: string }[] {
  const found = textOf(file).matchAll(/ \* @example\n((?: \*.*\n)*?) \*\/\nexport interface (\w+)/g)
  return [...found].map(([, code = '', type = '']) => ({ file, type, code: code.replace(/^ \* ?/gm, '') }))
}

const sources = readdirSync(join(ROOT, 'src'), { recursive: true, encoding: 'utf8' })
  .filter(name => name.endsWith('.ts'))
  .map(name => `src/${name}`)

/** Types that the recipes tell contributors to implement. */
const IMPLEMENTED = ['Archive', 'ClientDialect', 'Clock', 'DecisionLog', 'Dialect', 'HostedTools', 'Store']

it('each type that others implement has an example that parses', () => {
  const examples = sources.flatMap(examplesIn)
  expect(examples.map(({ type }) => type).sort()).toEqual(IMPLEMENTED)
  expect(examples.filter(({ type, code }) => !code.includes(`: ${type}`)).map(({ type }) => type)).toEqual([])
  for (const { code } of examples) expect(parseAst(code, { lang: 'ts' }).body.length).toBeGreaterThan(0)
})
