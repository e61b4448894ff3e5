/** The address of a Redis, and the gateway's user there. */
export interface RedisAddress {
  /** The server, the sentinels that know it, or nodes of a cluster. */
  readonly places: readonly Place[]
  readonly isCluster: boolean
  /** The name by which sentinels know the primary; undefined where `places` is the server itself. */
  readonly primary?: string
  readonly credentials?: Credentials
  readonly database?: number
  readonly isTls: boolean
}

export interface Place {
  /** A name, or an address without brackets. */
  readonly host: string
  readonly port: number
}

/** As Redis takes them; without a name the default user is meant. */
export interface Credentials {
  readonly username?: string
  readonly password: string
}

/** Reads what `store` names. It was checked when the files were. */
export function readAddress(url: string): RedisAddress {
  const {
    scheme = '',
    user = '',
    name = '',
    word = '',
    hosts = '',
    first,
    second,
  } = URL_OF_REDIS.exec(url)?.groups ?? {}
  const bySentinels = scheme.endsWith('+sentinel')
  const database = bySentinels ? second : first
  return {
    places: hosts.split(',').map(text => placeOf(text, bySentinels ? SENTINEL_PORT : PORT)),
    isCluster: scheme.endsWith('+cluster'),
    ...(bySentinels && { primary: first ?? '' }),
    ...(word !== '' && { credentials: credentialsOf(user === '' ? '' : name, word.slice(1)) }),
    ...(database && { database: Number(database) }),
    isTls: scheme.startsWith('rediss'),
  }
}

const URL_OF_REDIS =
  /^(?<scheme>[\w+]+):\/\/(?<user>(?<name>[^@:]*)(?<word>:[^@]*)?@)?(?<hosts>[^/]+)(?:\/(?<first>[^/]*))?(?:\/(?<second>\d+))?$/

const PORT = 6379
const SENTINEL_PORT = 26_379

function placeOf(text: string, otherwise: number): Place {
  const { six, host = '', port } = /^(?:\[(?<six>[^\]]+)\]|(?<host>[^:]+))(?::(?<port>\d+))?$/.exec(text)?.groups ?? {}
  return { host: six ?? host, port: port === undefined ? otherwise : Number(port) }
}

const credentialsOf = (name: string, password: string): Credentials => ({
  ...(name !== '' && { username: decodeURIComponent(name) }),
  password: decodeURIComponent(password),
})
