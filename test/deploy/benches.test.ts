import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { expect, it } from 'vitest'
import { ROOT } from './files.ts'

const BUILT = /import \{([^}]+)\} from '((?:\.\.\/)+dist\/[^']+)\.js'/g

const imports = readdirSync(join(ROOT, 'bench'), { recursive: true, encoding: 'utf8' })
  .filter(file => file.endsWith('.js') && !file.includes('node_modules'))
  .flatMap(file => {
    const path = join(ROOT, 'bench', file)
    return Array.from(readFileSync(path, 'utf8').matchAll(BUILT), ([, names = '', to = '']) => ({
      file: `bench/${file}`,
      module: relative(join(ROOT, 'dist'), join(dirname(path), to)),
      names: names.split(',').map(name => name.trim().split(' as ')[0] ?? ''),
    }))
  })

it.each(imports)('$file imports what the product has: $names of $module', async ({ module, names }) => {
  expect(Object.keys(await import(join(ROOT, `src/${module}.ts`)))).toEqual(expect.arrayContaining(names))
})

it('benches import more than 20 modules of the product', () => {
  expect(imports.length).toBeGreaterThan(20)
})
