import type { EventData, EventName, OwnerEvent } from '../contract/contract.ts';

export interface EventHub {
  emit<E extends EventName>(name: E, data: EventData<E>): void;
  subscribe(listener: (event: OwnerEvent) => void): () => void;
}

/**
 * Creates a hub that sends each event to every open window. If one listener throws, `failed` gets the error and the
 * others still get the event.
 */
export function createEventHub(failed: (error: unknown) => void = () => undefined): EventHub {
  const listeners = new Set<(event: OwnerEvent) => void>();
  return {
    emit(name, data) {
      for (const listener of listeners) {
        try {
          listener({ name, data } as OwnerEvent);
        } catch (error) {
          failed(error);
        }
      }
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}
