import { readdirSync } from 'node:fs'
import { basename, join } from 'node:path'
import ts from 'typescript'
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

it('each type that others implement has an example, and every example compiles', { timeout: 120_000 }, () => {
  const examples = sources.flatMap(examplesIn)
  expect(examples.map(({ type }) => type).sort()).toEqual(IMPLEMENTED)

  const texts = new Map(
    examples.map(({ file, type, code }) => [join(ROOT, file, '..', `${type}.example.ts`), inScope(file, code)]),
  )
  const { config } = ts.readConfigFile(join(ROOT, 'tsconfig.json'), ts.sys.readFile)
  const { options } = ts.convertCompilerOptionsFromJson(config.compilerOptions, ROOT)
  const host = ts.createCompilerHost(options)
  const { fileExists, readFile, getSourceFile } = host
  host.fileExists = path => texts.has(path) || fileExists(path)
  host.readFile = path => texts.get(path) ?? readFile(path)
  host.getSourceFile = (path, ...rest) => {
    const text = texts.get(path)
    return text === undefined ? getSourceFile(path, ...rest) : ts.createSourceFile(path, text, ts.ScriptTarget.ESNext)
  }
  const program = ts.createProgram([...texts.keys()], { ...options, noEmit: true, noUnusedLocals: false }, host)
  const faults = [...texts.keys()].flatMap(path => {
    const source = program.getSourceFile(path)
    return [...program.getSyntacticDiagnostics(source), ...program.getSemanticDiagnostics(source)]
  })
  expect(faults.map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, ' '))).toEqual([])
})

/** The code with every name that its file imports or exports as a type, as a reader of the comment knows them. */
function inScope(file: string, code: string): string {
  const text = textOf(file)
  const imports = text.match(/^import type .*$/gm) ?? []
  const own = [...text.matchAll(/^export (?:interface|type) (\w+)/gm)].map(([, name]) => name)
  return [...imports, `import type { ${own.join(', ')} } from './${basename(file)}'`, code, 'export {}\n'].join('\n')
}
