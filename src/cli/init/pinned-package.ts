import { createHash } from 'node:crypto'
import { basename } from 'node:path'
import { parseUrl } from '../../kit/parse-url.ts'
import { readBoundedBytes } from '../../server/bounded-file.ts'
import { CommandFailed, exitCodes } from '../../server/failure.ts'

/**
 * The svcctl that the workflows of a repository run: one package or image, fixed by its content. A name and a version alone would
 * have a public registry choose the code that runs beside the secrets of a CI.
 */
export type PinnedPackage =
  | { readonly kind: 'image'; readonly image: string }
  | { readonly kind: 'url'; readonly url: string; readonly sha256: string }
  /** A tarball that becomes part of the repository, at `path`. */
  | { readonly kind: 'file'; readonly path: string; readonly sha256: string; readonly bytes: Uint8Array }

const HOW =
  'write FILE.tgz#sha256=HASH or https://…/FILE.tgz#sha256=HASH, with the hash in SHA256SUMS of the release, or an image by its digest, NAME@sha256:DIGEST'

/** Reads `--package` of `init --repo`. Throws CommandFailed unless it fixes what will run, and where a local tarball has another hash. */
export function readPinnedPackage(given: string | undefined): PinnedPackage {
  if (given === undefined)
    throw new CommandFailed(`✗ --repo needs --package, the svcctl that CI runs: ${HOW}`, exitCodes.usage)
  if (/^[a-z0-9][a-z0-9._:/-]*@sha256:[0-9a-f]{64}$/.test(given)) return { kind: 'image', image: given }
  const [, place = '', hash = ''] = /^(.+\.t(?:ar\.)?gz)#sha256=([0-9a-fA-F]{64})$/.exec(given) ?? []
  const sha256 = hash.toLowerCase()
  // The workflows carry it through a shell, YAML and the variables of GitLab: none of these characters means anything to them.
  if (/^https?:\/\/[\w.~:/?=&%+-]+$/.test(place) && parseUrl(place)) return { kind: 'url', url: place, sha256 }
  const name = basename(place)
  if (/:\/\//.test(place) || !/^\w[\w.+-]*$/.test(name))
    throw new CommandFailed(`✗ --package \`${given}\`: ${HOW}`, exitCodes.usage)
  return { kind: 'file', path: `tools/${name}`, sha256, bytes: bytesOf(place, sha256) }
}

/** The package has some 1.3 MB. */
const MOST_PACKAGE_BYTES = 64_000_000

function bytesOf(file: string, sha256: string): Uint8Array {
  let bytes: Uint8Array
  try {
    bytes = readBoundedBytes(file, MOST_PACKAGE_BYTES)
  } catch (error) {
    throw new CommandFailed(
      `✗ --package: ${file} cannot be read: ${error instanceof Error ? error.message : String(error)}`,
    )
  }
  const actual = createHash('sha256').update(bytes).digest('hex')
  if (actual !== sha256)
    throw new CommandFailed(`✗ --package: the SHA-256 of ${file} is ${actual}, not ${sha256}: nothing was written`)
  return bytes
}

/** The variables by which a workflow names the package. A change of version changes these alone. */
export function variablesOf(pinned: PinnedPackage): readonly (readonly [name: string, value: string])[] {
  if (pinned.kind === 'image') return [['PACKAGE', pinned.image]]
  return [
    ['PACKAGE', pinned.kind === 'url' ? pinned.url : pinned.path],
    ['SHA256', pinned.sha256],
  ]
}

/** Shell lines that put svcctl at `.svcctl/bin/svcctl`. They fail, before any code of it runs, where its content is another. */
export function installLines(pinned: PinnedPackage): readonly string[] {
  switch (pinned.kind) {
    case 'image':
      return [
        'rm -rf .svcctl',
        'id=$(docker create "$PACKAGE")',
        `docker cp "$id:${IN_IMAGE}" .svcctl`,
        'docker rm "$id"',
        LINK,
      ]
    case 'url':
      return ['curl -sSfL -o .svcctl.tgz "$PACKAGE"', ...installTarball('.svcctl.tgz')]
    case 'file':
      return installTarball('$PACKAGE')
  }
}

/** Where an image of the gateway has the package. */
export const IN_IMAGE = '/opt/svc-gateway'
/** Names the program as an install of the tarball does. */
export const LINK = 'ln -s svcctl.js .svcctl/bin/svcctl'

const installTarball = (tarball: string): readonly string[] => [
  `echo "$SHA256  ${tarball}" | sha256sum --check --strict`,
  `npm install --global --prefix .svcctl --ignore-scripts --no-audit --no-fund "./${tarball}"`,
]
