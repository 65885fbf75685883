import type { EventData, EventName, OwnerEvent } from './contract.ts';

export type EventHub = ReturnType<typeof createEventHub>;

/**
 * Creates a hub that sends each event to every open window. If one listener throws, `failed` receives the error, and
 * the other listeners still receive the event.
 */
export function createEventHub(failed: (error: unknown) => void = () => undefined) {
  const listeners = new Set<(event: OwnerEvent) => void>();
  return {
    emit<E extends EventName>(name: E, data: EventData<E>): void {
      for (const listener of listeners) {
        try {
          listener({ name, data } as OwnerEvent);
        } catch (error) {
          failed(error);
        }
      }
    },
    subscribe(listener: (event: OwnerEvent) => void): () => void {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}
