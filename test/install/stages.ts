import { execFileSync } from 'node:child_process'
import { chmodSync, cpSync, mkdirSync, statSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { ROOT, textOf } from '../deploy/files.ts'
import { removeFolder } from '../lanes/remove-folder.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { CHROOT } from './root.ts'

/** An instruction of a Containerfile, with what stands behind it. */
interface Instruction {
  readonly name: string
  readonly rest: string
}

interface Stage {
  /** The name that later stages use; the image's own stage has none. */
  readonly name: string
  readonly instructions: readonly Instruction[]
}

/** The stages of a Containerfile, in their order. */
export function stagesOf(text: string): readonly Stage[] {
  const [, ...parts] = text.replace(/\\\n/g, ' ').split(/^FROM /m)
  return parts.map(part => ({
    name: /^\S+ AS (\S+)\n/.exec(part)?.[1] ?? '',
    instructions: [...part.matchAll(/^([A-Z]+) (.*)$/gm)].map(([, name = '', rest = '']) => ({
      name,
      rest: rest.trim(),
    })),
  }))
}

/** The text of the instructions with this name. */
export const saidBy = ({ instructions }: Stage, name: string): readonly string[] =>
  instructions.filter(each => each.name === name).map(({ rest }) => rest)

/** The variables that ENV sets. */
export const environmentOf = (stage: Stage): Readonly<Record<string, string>> =>
  Object.fromEntries(
    saidBy(stage, 'ENV').flatMap(rest =>
      rest.split(/\s+/).map(pair => [pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1)]),
    ),
  )

/**
 * Does what all stages say, as a build of the image would, and returns the folder of the files that the last one adds to its
 * base. This machine is the base, with the user `node`: what a stage writes lies over it, in a folder of its own.
 */
export async function buildStages(stages: readonly Stage[], user: number): Promise<string> {
  const folder = temporaryFolder('svc-stages')
  const base = join(folder, 'base')
  mkdirSync(join(base, 'etc'), { recursive: true })
  chmodSync(base, 0o755)
  writeFileSync(join(base, 'etc/passwd'), `root:x:0:0::/root:/bin/sh\nnode:x:${user}:${user}::/home/node:/bin/sh\n`)
  writeFileSync(join(base, 'etc/group'), `root:x:0:\nnode:x:${user}:\n`)
  const built = new Map([['', await contextIn(join(folder, 'context'))]])
  let last = ''
  for (const [index, stage] of stages.entries()) {
    last = buildStage(stage, { folder: join(folder, `${index}`), base, sources: built })
    built.set(stage.name || `${index}`, last)
  }
  return last
}

/** The build context according to .dockerignore. */
async function contextIn(context: string): Promise<string> {
  for (const line of textOf('.dockerignore').split('\n').filter(Boolean)) {
    if (line.startsWith('!')) cpSync(join(ROOT, line.slice(1)), join(context, line.slice(1)), { recursive: true })
    else if (line !== '*') await removeFolder(join(context, line))
  }
  return context
}

interface Place {
  readonly folder: string
  readonly base: string
  /** Folders of what a stage may copy from, by the names of stages; that of the context has none. */
  readonly sources: ReadonlyMap<string, string>
}

function buildStage(stage: Stage, { folder, base, sources }: Place): string {
  const added = join(folder, 'added')
  for (const name of ['added', 'work', 'root']) mkdirSync(join(folder, name), { recursive: true })
  let home = '/'
  for (const { name, rest } of stage.instructions) {
    if (name === 'WORKDIR') {
      home = rest
      mkdirSync(join(added, home), { recursive: true })
    } else if (name === 'COPY') copyAll(rest, join(added, home), sources)
    else if (name === 'RUN') run(rest, { folder, base, home, env: environmentOf(stage) })
  }
  return added
}

/** Does what COPY says: `--from=STAGE PATH… TARGET`, where the target is a path from the working directory on. */
function copyAll(rest: string, home: string, sources: Place['sources']): void {
  const [, from = '', words = ''] = /^(?:--from=(\S+) )?(.*)$/.exec(rest) ?? []
  const paths = words.split(' ')
  const target = paths.pop() ?? ''
  const source = sources.get(from)
  if (source === undefined || target.startsWith('/')) throw new Error(`no build of this test does COPY ${rest}`)
  for (const path of paths.map(each => join(source, each))) {
    const isInto = target.endsWith('/') && !statSync(path).isDirectory()
    // COPY copies the contents of a folder.
    cpSync(path, join(home, target, isInto ? basename(path) : ''), { recursive: true, verbatimSymlinks: true })
  }
}

interface Shell {
  readonly folder: string
  readonly base: string
  readonly home: string
  readonly env: Readonly<Record<string, string>>
}

/** Runs a line in a shell whose root is the base, where all that is written goes to the folder of the stage. */
function run(line: string, { folder, base, home, env }: Shell): void {
  const script = `
    set -e
    mount -t overlay overlay -o lowerdir=${base}:/,upperdir=${folder}/added,workdir=${folder}/work ${folder}/root
    for path in dev proc run; do mount --bind /$path ${folder}/root/$path; done
    exec ${CHROOT} ${folder}/root /bin/sh -c 'cd "$1" && eval "$2"' sh "$1" "$2"`
  const own = {
    PATH: `${dirname(process.execPath)}:/usr/local/bin:/usr/bin:/bin`,
    HOME: '/root',
    // Where npm finds its packages on this machine, and whose certificate it shows.
    ...Object.fromEntries(
      ['npm_config_registry', 'NODE_EXTRA_CA_CERTS'].flatMap(name =>
        process.env[name] === undefined ? [] : [[name, process.env[name]]],
      ),
    ),
  }
  execFileSync('unshare', ['--mount', '--propagation', 'private', '/bin/sh', '-c', script, 'sh', home, line], {
    env: { ...own, ...env },
    encoding: 'utf8',
    stdio: 'pipe',
  })
}
