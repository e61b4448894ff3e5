export const hint = 'Key, request id or model'
