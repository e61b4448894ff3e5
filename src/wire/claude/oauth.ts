/** The grant types of the token endpoint. */
export const DEVICE_GRANT = 'urn:ietf:params:oauth:grant-type:device_code'
export const REFRESH_GRANT = 'refresh_token'

/** The paths that Claude Code asks where a gateway names no others. */
export const DEVICE_PATH = '/oauth/device_authorization'
export const TOKEN_PATH = '/oauth/token'
export const REVOKE_PATH = '/oauth/revoke'

/** Authorization server metadata (RFC 8414) of a gateway at this URL, without a slash at its end. */
export const serverMetadata = (publicUrl: string): object => ({
  issuer: publicUrl,
  device_authorization_endpoint: publicUrl + DEVICE_PATH,
  token_endpoint: publicUrl + TOKEN_PATH,
  revocation_endpoint: publicUrl + REVOKE_PATH,
  grant_types_supported: [DEVICE_GRANT, REFRESH_GRANT],
  response_types_supported: [],
  token_endpoint_auth_methods_supported: ['none'],
  revocation_endpoint_auth_methods_supported: ['none'],
})

/** The name and version of a client that says so in a form that a page may show; undefined for others. */
export function clientNamed(userAgent: string | undefined): string | undefined {
  const [, name, version] = /^(claude-(?:code|cli))\/(\d[\w.-]{0,30})(?= |$)/.exec(userAgent ?? '') ?? []
  return name && `Claude Code ${version}`
}
