import { execFileSync, spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { removeFolder } from '../lanes/remove-folder.ts'
import { type Program, programOf } from './program.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
/** The parts of a release that serve. */
const SERVES = ['bin', 'src', 'schema', 'redis', 'policies', 'openapi.yaml', 'package.json', 'tsconfig.json']

/** The release before this one, compiled from the history of this clone; `remove` deletes its files. */
export interface PreviousRelease extends Program {
  readonly version: string
  remove(): Promise<void>
}

/** Compiles the commit that `test/previous-release` names, with the dependencies that are installed. */
export async function compilePreviousRelease(): Promise<PreviousRelease> {
  const [commit = '', version = ''] = readFileSync(join(root, 'test/previous-release'), 'utf8').trim().split(' ')
  if (git('cat-file', '-e', `${commit}^{commit}`).status !== 0)
    throw new Error(
      `test/previous-release names ${commit} (${version}), which this clone lacks: git fetch --unshallow, or clone with its whole history`,
    )
  // As deep as the root, whose dependencies it finds from here.
  const folder = join(root, `.test-dist-${process.pid}-${version}`)
  mkdirSync(folder)
  const remove = () => removeFolder(folder)
  try {
    const archive = execFileSync('git', ['archive', commit, ...SERVES, 'tsconfig.build.json'], {
      ...{ cwd: root, maxBuffer: ARCHIVE_BYTES },
    })
    execFileSync('tar', ['-x', '-C', folder], { input: archive })
    expectDependencies(join(folder, 'package.json'), version)
    const tsc = join(root, 'node_modules/typescript/bin/tsc')
    execFileSync(process.execPath, [tsc, '-p', join(folder, 'tsconfig.build.json'), '--noCheck'], { cwd: folder })
    return { ...programOf(join(folder, 'dist/cli/main.js'), ''), version, remove }
  } catch (error) {
    await remove()
    throw error
  }
}

const ARCHIVE_BYTES = 64 * 1024 * 1024

const git = (...words: readonly string[]) => spawnSync('git', words, { cwd: root })

/** Once a dependency is another one, that of the release has to be installed beside it. */
function expectDependencies(file: string, version: string): void {
  const { resolve } = createRequire(file)
  const { dependencies } = JSON.parse(readFileSync(file, 'utf8')) as { dependencies: Record<string, string> }
  for (const name of Object.keys(dependencies)) {
    try {
      resolve(`${name}/package.json`)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ERR_PACKAGE_PATH_NOT_EXPORTED') continue
      throw new Error(
        `${version} needs ${name}, which is no longer installed: name a later release in test/previous-release`,
      )
    }
  }
}
