import type { Kind } from '../../policy/config.ts'

/** What the conventions for generative AI call each kind; they have no word for images, and none for what is passed on unread. */
export const OPERATIONS: Readonly<Record<Kind, string>> = {
  chat: 'chat',
  embedding: 'embeddings',
  image: 'image_generation',
  passthrough: 'passthrough',
}
