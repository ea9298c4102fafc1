import { camelCase, kebabCase, snakeCase, trainCase } from "change-case";

export const cases = () => [camelCase("two words"), kebabCase("fooBarBaz"), snakeCase("HTTPServer2"), trainCase("a_b")];
