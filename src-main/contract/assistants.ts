import { Type } from 'typebox';
import { closed, Id, method, Nothing, orNull } from './shapes.ts';

/** The calls of `porchlight mcp`, with which an assistant on this computer reaches the server. */
export const assistantMethods = {
  /**
   * Begins a session and asks the owner to let the assistant sign in. `name`: what the assistant calls itself.
   * @throws not_allowed while assistants are off
   */
  'assistants.open': method(closed({ name: Type.String({ maxLength: 200 }) }), closed({ id: Id })),
  /**
   * Answers a message of the Model Context Protocol; null if it needs no response.
   * @throws not_found if the session has ended
   */
  'assistants.message': method(
    closed({ id: Id, message: Type.Object({}) }),
    closed({ answer: orNull(Type.Object({})) }),
  ),
  'assistants.close': method(closed({ id: Id }), Nothing),
};
