import type { ListedModel } from './gateway-models.ts'
import type { Dialect } from './verify.ts'

/** How an agent gets its credential: it runs a command whenever it needs one, or it reads a key once. */
export type Credential =
  | { readonly kind: 'command'; readonly command: readonly string[] }
  | { readonly kind: 'key'; readonly key: string }

/** The gateway as an agent is to use it. */
export interface Site<Kind extends Credential['kind']> {
  /** Without /v1. */
  readonly gateway: string
  /** With /v1. */
  readonly baseURL: string
  readonly model: string
  /** The model as the gateway lists it; undefined where it does not. */
  readonly listed: ListedModel | undefined
  /** The models in the form of the agent's own catalogue; undefined where it has none, or none could be made. */
  readonly catalogue: readonly object[] | undefined
  /** The home directory of the user. */
  readonly home: string
  readonly credential: Extract<Credential, { readonly kind: Kind }>
}

/** A value that a file of an agent is to have. */
export interface Setting {
  /** Names of nested tables, or, for a list of things with names, `{ named }`. */
  readonly at: readonly (string | { readonly named: string })[]
  /** Undefined removes it. */
  readonly value: unknown
}

/** A file that an agent reads. */
export interface AgentFile {
  /** Below the home directory. */
  readonly path: string
  readonly format: 'json' | 'toml' | 'yaml'
  readonly settings: readonly Setting[]
  /** True for a file that holds nothing but these settings, which no agent writes. */
  readonly own?: true
}

/** Variables, arguments and a file for one process of an agent. */
export interface ProcessSetup {
  readonly env?: Readonly<Record<string, string>>
  /** Arguments before those of the user. */
  readonly args?: readonly string[]
  /** A file in a private directory, which is removed afterwards, and the arguments that name it. */
  readonly file?: {
    readonly name: string
    readonly text: string
    readonly args: (path: string, folder: string) => readonly string[]
    /** Variables that name it, for an agent without such an argument. */
    readonly env?: (path: string, folder: string) => Readonly<Record<string, string>>
  }
}

interface Described<Kind extends Credential['kind']> {
  readonly name: string
  readonly title: string
  /** Its program on the PATH. */
  readonly program: string
  readonly credential: Kind
  readonly dialect: Dialect
  /** Makes the entries of its own catalogue, for an agent that reads one. */
  readonly catalogue?: (models: readonly ListedModel[], chosen: string) => Promise<readonly object[] | undefined>
  /** Absent where it reads no file of its own for this. */
  readonly files?: (site: Site<Kind>) => readonly AgentFile[]
  readonly process: (site: Site<Kind>) => ProcessSetup
  /** Variables of the shell that would go before the credential. */
  readonly overrides: readonly string[]
}

export type Agent = Described<'command'> | Described<'key'>
