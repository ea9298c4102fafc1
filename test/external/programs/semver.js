import semver from "semver";

export const satisfies = () => [semver.satisfies("1.2.3", "^1.0.0 || >=3"), semver.maxSatisfying(["1.0.0", "1.2.0", "2.0.0"], "1.x")];
export const sorts = () => ["1.0.0", "1.0.0-alpha.2", "0.9.9"].sort(semver.compare);
export const increases = () => semver.inc("1.2.3-beta.1", "prerelease", "beta");
