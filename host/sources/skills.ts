/** Skills: named compositions of tools, bound in code or by a plugin's manifest (SPEC K5). */

import type { ToolListing } from "../tools/listing.ts";
import type { JsonSchema } from "../../manifests/mod.ts";
import { nearestName } from "../tools/nearest.ts";
import type { Registry } from "../tools/registry.ts";
import { functionTool, type ToolFunction } from "./function.ts";
import type { RegisteredTool } from "../tools/tool.ts";

/** A skill as the embedding program declares it. */
export interface SkillDeclaration {
  readonly name: string;
  readonly description: string;
  /** Names of the tools that it may call; those of plugins as `plugin.tool`. */
  readonly tools: readonly string[];
  /** Default: an object without properties. */
  readonly inputSchema?: JsonSchema;
  readonly outputSchema?: JsonSchema;
  readonly tags?: readonly string[];
}

/** The skills of a host. A skill is called like a tool. */
export interface Skills {
  /**
   * Registers a skill. `run` calls tools with `context.tools.call`. Without `run`, every call of the skill fails.
   *
   * @throws {ToolRegistrationError} if the declaration is invalid. @throws {Error} if the host has no registry.
   */
  register(skill: SkillDeclaration, run?: ToolFunction): RegisteredTool;
  /** Finds a skill by bare or qualified name. @throws {SkillNotFound} if it does not exist, or if the name is a tool's. */
  get(name: string): ToolListing;
  list(): readonly ToolListing[];
}

/** Thrown for an unknown skill. */
export class SkillNotFound extends Error {
  override readonly name = "SkillNotFound";
  /** The nearest known name. */
  readonly suggestion: string | undefined;
  constructor(skill: string, suggestion?: string) {
    super(`Skill "${skill}" not found${suggestion === undefined ? "" : ` (did you mean "${suggestion}"?)`}`);
    this.suggestion = suggestion;
  }
}

export function createSkills(registry: Registry | undefined): Skills {
  const list = (): readonly ToolListing[] => registry?.list({ source: "skill" }) ?? [];
  return {
    register({ name, description, tools, ...rest }, run) {
      if (registry === undefined) throw new Error("Cannot register a skill: the host was created with registry: null");
      const declared = {
        ...rest,
        name,
        description,
        sideEffects: [],
        permissions: { tools: [...tools] },
        callers: ["direct", "chain"],
      } as const;
      return registry.register(functionTool(run, declared), { source: "skill" });
    },
    get(name) {
      const skills = list();
      const found = skills.find((skill) => skill.qualifiedName === name) ?? skills.find((skill) => skill.name === name);
      if (found !== undefined) return found;
      throw new SkillNotFound(
        name,
        nearestName(
          name,
          skills.map((skill) => skill.name),
        ),
      );
    },
    list,
  };
}
