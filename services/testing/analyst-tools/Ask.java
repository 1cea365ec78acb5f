import java.sql.DriverManager;
import java.util.StringJoiner;

/** Asks one question through JDBC; prints its rows, with tabs between their columns. */
public class Ask {
  public static void main(String[] args) throws Exception {
    try (var connection = DriverManager.getConnection(args[0]);
        var statement = connection.createStatement();
        var rows = statement.executeQuery(args[1])) {
      int columns = rows.getMetaData().getColumnCount();
      while (rows.next()) {
        var row = new StringJoiner("\t");
        for (int column = 1; column <= columns; column++) row.add(rows.getString(column));
        System.out.println(row);
      }
    }
  }
}
