import { useState } from 'react';
import { PorchlightError } from '../../../src-main/contract/error.ts';
import type { Profile } from '../../../src-main/contract/settings.ts';
import { useAction } from '../../client/queries.ts';

/** The profile as far as the website tells it. `failure`: why the website could not be read; null where it could. */
interface Found {
  readonly profile: Profile;
  readonly failure: Error | null;
}

interface Website {
  readonly found: Found | null;
  /** Why the address was not saved. */
  readonly error: Error | null;
  readonly isPending: boolean;
  readonly isReading: boolean;
  /** Saves the address, then reads who the page is about. */
  readonly save: (url: string) => void;
  /** Asks for the address again. */
  readonly forget: () => void;
}

/** Saves the owner's website and reads their profile from it. A page that cannot be read is no obstacle. */
export function useWebsite(): Website {
  const [found, setFound] = useState<Found | null>(null);
  const save = useAction('settings.update');
  const read = useAction('profile.read');
  return {
    found,
    error: save.error,
    isPending: save.isPending || read.isPending,
    isReading: read.isPending,
    save: (url) =>
      save.mutate(
        { profile: { me: url } },
        {
          onSuccess: ({ profile }) =>
            read.mutate(
              { url },
              {
                onSuccess: (found) => setFound({ profile: filledIn(profile, found), failure: null }),
                onError: (failure) => setFound({ profile, failure: saysNothing(failure) ? null : failure }),
              },
            ),
        },
      ),
    forget: () => setFound(null),
  };
}

/** The profile with what the website tells, where it tells something. `me` stays as the owner typed it. */
function filledIn(profile: Profile, found: Profile): Profile {
  return {
    me: profile.me,
    name: found.name || profile.name,
    url: found.url || profile.url,
    photo: found.photo || profile.photo,
    email: found.email || profile.email,
  };
}

/** The page was read, but it does not say who it is about in a form that programs can read. */
function saysNothing(failure: Error): boolean {
  return failure instanceof PorchlightError && failure.code === 'no_profile';
}
