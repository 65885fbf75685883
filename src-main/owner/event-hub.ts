import type { EventData, EventName, OwnerEvent } from '../contract/contract.ts';

export interface EventHub {
  emit<E extends EventName>(name: E, data: EventData<E>): void;
  subscribe(listener: (event: OwnerEvent) => void): () => void;
}

/** Carries events to every open window. */
export function createEventHub(): EventHub {
  const listeners = new Set<(event: OwnerEvent) => void>();
  return {
    emit(name, data) {
      for (const listener of listeners) listener({ name, data } as OwnerEvent);
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}
