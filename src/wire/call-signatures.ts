import { asObject, isObject, type JsonObject } from './json-safety.ts'
import type { CallSignature } from './reasoning/sealed-reasoning.ts'

/** The backend's signature of a chat's call, or of a part of one: as Gemini tells it, or LiteLLM in front of it. */
export function signatureOf(call: JsonObject): Omit<CallSignature, 'call'> | undefined {
  const { thought_signature: google } = asObject(asObject(call.extra_content).google)
  if (isSigned(google)) return { of: 'google', signature: google }
  const { thought_signature: litellm } = asObject(call.provider_specific_fields)
  return isSigned(litellm) ? { of: 'litellm', signature: litellm } : undefined
}

const isSigned = (signature: unknown): signature is string => typeof signature === 'string' && signature !== ''

/** A call as its backend takes it back. */
export function signedCall(call: JsonObject, signatures: ReadonlyMap<unknown, CallSignature>): JsonObject {
  const found = signatures.get(call.id)
  if (!found) return call
  const member = { thought_signature: found.signature }
  return found.of === 'google'
    ? { ...call, extra_content: { google: member } }
    : { ...call, provider_specific_fields: member }
}

/** The members of a call that its backend wants back, as they came. */
export function signedMembers({ extra_content, provider_specific_fields }: JsonObject): JsonObject {
  return {
    ...(isObject(extra_content) && { extra_content }),
    ...(isObject(provider_specific_fields) && { provider_specific_fields }),
  }
}
