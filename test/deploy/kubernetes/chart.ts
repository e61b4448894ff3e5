import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { it } from 'vitest'
import { parseAllDocuments } from 'yaml'
import { ROOT } from '../files.ts'

/** An object of Kubernetes in a manifest. */
export interface KubernetesObject {
  readonly apiVersion: string
  readonly kind: string
  readonly metadata: { readonly name: string }
  readonly [field: string]: unknown
}

const CHART = join(ROOT, 'deploy/helm/svc-gateway')

const hasHelm: boolean = spawnSync('helm', ['version']).status === 0

if (!hasHelm)
  console.warn('SKIPPED: tests that render the Helm chart. Install it: go install helm.sh/helm/v3/cmd/helm@v3.22.0')

/** Tests that need helm: skipped, and counted as such, where it is missing. */
export const itRenders: typeof it.skip = it.skipIf(!hasHelm)

/** The objects that the chart renders with these values, such as `store="embedded"`. Throws if the chart refuses them. */
export function rendered(...values: readonly string[]): readonly KubernetesObject[] {
  const flags = values.flatMap(value => ['--set-json', value])
  const args = ['template', 'svc-gateway', CHART, '--kube-version', '1.30.0', ...flags]
  const { status, stdout, stderr } = spawnSync('helm', args, { encoding: 'utf8' })
  if (status !== 0) throw new Error(stderr)
  return objectsIn(stdout)
}

/** The requests that the commands of a page make to a cluster. */
interface Asked {
  /** Objects that helm would install. */
  readonly objects: readonly KubernetesObject[]
  /** The words of each call of kubectl. */
  readonly kubectl: readonly (readonly string[])[]
}

/** Runs the commands of a page without a cluster: helm renders what it would install, and calls of kubectl are recorded. */
export function askedBy(commands: string, cwd: string): Asked {
  const noted = join(cwd, 'kubectl.calls')
  const script = `
    kubectl() { printf '%s\\t' "$@" >> '${noted}'; echo >> '${noted}'; }
    helm() { [ "$1" = install ] && shift && command helm template --kube-version 1.30.0 "$@"; }
    ${commands}`
  const { status, stdout, stderr } = spawnSync('bash', ['-e', '-c', script], { cwd, encoding: 'utf8' })
  if (status !== 0) throw new Error(stderr)
  const calls = readFileSync(noted, 'utf8').trimEnd().split('\n')
  return { objects: objectsIn(stdout), kubectl: calls.map(call => call.trimEnd().split('\t')) }
}

/** The objects of a manifest. */
export const objectsIn = (manifest: string): readonly KubernetesObject[] =>
  parseAllDocuments(manifest).flatMap(document => {
    const object = document.toJS() as KubernetesObject | null
    return object ? [object] : []
  })
