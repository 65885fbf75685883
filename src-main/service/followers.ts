/** Functions that are called when something happens: how a part hears of parts that open before it. */
export interface Followers<A extends readonly unknown[]> {
  /** Calls all followers in the order in which they were added. */
  readonly tell: (...about: A) => void;
  readonly add: (follower: (...about: A) => void) => void;
}

/** Creates a list of followers, empty at first. */
export function createFollowers<A extends readonly unknown[] = []>(): Followers<A> {
  const followers: ((...about: A) => void)[] = [];
  return {
    tell: (...about) => {
      for (const follow of followers) follow(...about);
    },
    add: (follower) => void followers.push(follower),
  };
}
